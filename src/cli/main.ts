#!/usr/bin/env node
import { tolerateClosedPipes } from '../terminal/output.js';
import { run } from './program.js';

tolerateClosedPipes();
process.exitCode = await run(process.argv.slice(2));
