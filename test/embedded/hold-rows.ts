import { expect } from 'chai';
import { rowLack } from './lacks.js';

/** A case of a table: the query, the expected result as a string, and how to get the engine's. */
export interface Row {
  readonly input: unknown;
  readonly wanted: string;
  ask(): Promise<string>;
}

/**
 * The form of a result that is an error: other engines have different codes, so only the embedded one is checked for
 * them.
 */
export const refusal = (code: number): string => `error ${code}`;

async function answer(ask: Row['ask']): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === undefined) throw error;
    return refusal(Number(code));
  }
}

/**
 * Runs every row of a table and compares the results with the expected ones. Known errors of the engine under test are
 * in the table of lacks; a listed row with a correct result is as much a failure as an unlisted one with a wrong
 * result.
 */
export async function holdRows(rows: readonly Row[], codes: boolean): Promise<void> {
  const surprises: string[] = [];
  const plain = (text: string): string => (codes ? text : text.replace(/^error .*/, 'error'));
  for (const { input, wanted, ask } of rows) {
    const got = await answer(ask);
    const key = JSON.stringify(input);
    const known = rowLack(key);
    const right = plain(got) === plain(wanted);
    if (right && known !== undefined) surprises.push(`${key} is right by now, but listed: ${known.reason}`);
    if (!right && known === undefined) surprises.push(`${key} gave ${got} instead of ${wanted}`);
  }
  expect(surprises).to.deep.equal([]);
}
