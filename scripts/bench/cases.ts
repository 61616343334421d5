import { adoptedCases } from './adopted-cases.js';
import type { Case } from './case.js';
import { readCases } from './read-cases.js';
import { trafficCases } from './traffic.js';
import { writeCases } from './write-cases.js';

/** Reads first: the writes change what they would read. */
export const cases: readonly Case[] = [...readCases, ...adoptedCases, ...trafficCases, ...writeCases];
