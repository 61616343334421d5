#!/usr/bin/env node
import { Console } from 'node:console';
import { tolerateClosedPipes } from '../terminal/output.js';
import { commandIsDone } from './command.js';
import { runCommandLine } from './program.js';

const MAX_END_MS = 1000;

tolerateClosedPipes();
// Stdout is for data: what the files of a project print goes to stderr.
globalThis.console = new Console(process.stderr, process.stderr);
process.exitCode = await runCommandLine(process.argv.slice(2));
// What a project's code has left open, such as a timer, does not keep a command that is done from ending.
if (commandIsDone() || process.exitCode !== 0) setTimeout(() => process.exit(), MAX_END_MS).unref();
