#!/usr/bin/env node
import { tolerateClosedPipes } from '../terminal/output.js';
import { runCommandLine } from './program.js';

tolerateClosedPipes();
process.exitCode = await runCommandLine(process.argv.slice(2));
