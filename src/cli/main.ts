#!/usr/bin/env node
import { Console } from 'node:console';
import { tolerateClosedPipes } from '../terminal/output.js';
import { runCommandLine } from './program.js';

tolerateClosedPipes();
// Stdout is for data: what the files of a project print goes to stderr.
globalThis.console = new Console(process.stderr, process.stderr);
process.exitCode = await runCommandLine(process.argv.slice(2));
