import type { Lag } from './in-time.js';
import type { Measured } from './load.js';
import type { Gain } from './mechanisms.js';
import type { OwnWork } from './own.js';
import type { PairGain } from './pairs.js';
import type { StreamCost } from './streams.js';

/** One line of the result: a case at a size with a number of connections, beside its floor. */
export interface Row {
  readonly size: number;
  readonly connections: number;
  readonly name: string;
  readonly cache: 'warm' | 'cold';
  readonly mangrove: Measured & { readonly cpu: number };
  readonly floor: Measured & { readonly cpu: number };
  /** Requests a second, Mangrove's to the floor's. */
  readonly ratio: number;
}

const HEAD = [
  'entries',
  'conn',
  'case',
  'cache',
  'req/s',
  'p50 ms',
  'p99 ms',
  'CPU ms',
  'floor req/s',
  'floor CPU',
  'ratio',
];
const WIDTHS = [8, 5, 24, 5, 9, 8, 8, 7, 12, 10, 6];

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, i) => (i === 2 || i === 3 ? cell.padEnd(WIDTHS[i] ?? 0) : cell.padStart(WIDTHS[i] ?? 0)))
    .join(' ');

export const head = (): string => line(HEAD);

/** CPU is milliseconds for one request, of the server's process and of an embedded engine. */
export const format = (row: Row): string =>
  line([
    String(row.size),
    String(row.connections),
    row.name,
    row.cache,
    row.mangrove.perSecond.toFixed(0),
    row.mangrove.p50.toFixed(2),
    row.mangrove.p99.toFixed(2),
    row.mangrove.cpu.toFixed(3),
    row.floor.perSecond.toFixed(0),
    row.floor.cpu.toFixed(3),
    row.ratio.toFixed(2),
  ]);

export const formatOwn = ({ name, prepare, render }: OwnWork): string =>
  `own work of ${name}: ${prepare.toFixed(0)} µs to make a plan, ${render.toFixed(0)} µs to render`;

export const formatPair = ({ pair: { name, unit, ways }, connections, rates, ratio }: PairGain): string =>
  `${name}, ${connections} connections: ${ways.map((way, i) => `${rates[i]?.toFixed(0)} ${unit}/s ${way.name}`).join(', ')}, × ${ratio.toFixed(2)}`;

export const formatGain = ({ mechanism, name, speed, cpu }: Gain): string =>
  `${mechanism.padEnd(24)} ${name.padEnd(20)} requests/s × ${speed.toFixed(2)}, CPU × ${cpu.toFixed(2)}`;

export const formatLag = ({ told, rate, count, p50, p99 }: Lag): string =>
  `lag of a ${told} at ${rate} writes/s: p50 ${p50} ms, p99 ${p99} ms (${count})`;

export const formatStreams = ({ name, streams, server, engine }: StreamCost): string =>
  `${streams} ${name}: one change takes ${server.toFixed(0)} ms of CPU, and ${engine.toFixed(0)} ms of the engine`;
