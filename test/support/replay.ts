import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SymbolMap } from './load-fixture.js';

export const CONFORMANCE = fileURLToPath(new URL('../conformance', import.meta.url));

/** The first difference of a response from the recording. */
export interface Difference {
  readonly step?: string;
  readonly request?: string;
  readonly at: string;
  readonly expected: unknown;
  readonly got: unknown;
  readonly why?: string;
}

export interface Matcher {
  attempt(compare: () => Difference | null): Difference | null;
  error(expected: unknown, got: unknown): Difference | null;
  value(expected: unknown, got: unknown, at?: string): Difference | null;
}

export type Matchers = Map<string, Matcher>;

/** The fields of a recorded case that the runner reads. */
export interface Case {
  readonly name: string;
  readonly group: string;
  readonly kind: 'read' | 'scenario' | 'docservice';
  readonly server?: 'default' | 'strict';
}

/** The exports of `test/conformance/replay.mjs`. */
interface Replayer {
  readonly Client: new (options: { base: string; map: SymbolMap }) => object;
  readonly Matcher: new (options: {
    recorded: unknown;
    actual: SymbolMap;
    strictComponentIds: boolean;
  }) => Matcher;
  loadCases(paths: readonly string[]): readonly Case[];
  runCase(of: Case, client: object, matchers: Matchers): Promise<Difference | null>;
  makeExpander(map: SymbolMap, vars: Readonly<Record<string, unknown>>): (value: unknown) => unknown;
  dig(value: unknown, path: string): unknown;
}

const file: string = pathToFileURL(join(CONFORMANCE, 'replay.mjs')).href;
export const replayer = (await import(file)) as Replayer;

/** A matcher for each recording; a response is correct if one of them accepts it. */
export const matchersFor = (actual: SymbolMap): Matchers => {
  const matchers: Matchers = new Map();
  for (const name of ['sqlite', 'postgres']) {
    const seedMap = join(CONFORMANCE, 'fixture', `seed-map.${name}.json`);
    if (!existsSync(seedMap)) continue;
    const recorded: unknown = JSON.parse(readFileSync(seedMap, 'utf8'));
    matchers.set(name, new replayer.Matcher({ recorded, actual, strictComponentIds: true }));
  }
  return matchers;
};

const short = (value: unknown): string => (JSON.stringify(value) ?? '(absent)').slice(0, 400);

/** The difference as text. */
export const describeDifference = ({ step = '', request = '', at, expected, got, why }: Difference): string =>
  `${step}${request}\n  at ${at}${why ? ` (${why})` : ''}\n  expected ${short(expected)}\n  got      ${short(got)}`;
