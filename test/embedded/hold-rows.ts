import { expect } from 'chai';
import { rowLack } from './lacks.js';

/** A case of a table: what is asked, the text of the right answer, and how to get the engine's. */
export interface Row {
  readonly asked: unknown;
  readonly wanted: string;
  ask(): Promise<string>;
}

/** How an answer reads that is an error: engines of others have codes of their own, so only the embedded one is held to them. */
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
 * Asks every row of a table and holds the answers against those wanted. What the engine under test is known to get wrong stands in
 * the table of lacks; a row there that is answered rightly is as much a failure as one that is not there and is answered wrongly.
 */
export async function holdRows(rows: readonly Row[], codes: boolean): Promise<void> {
  const surprises: string[] = [];
  const plain = (text: string): string => (codes ? text : text.replace(/^error .*/, 'error'));
  for (const { asked, wanted, ask } of rows) {
    const got = await answer(ask);
    const key = JSON.stringify(asked);
    const known = rowLack(key);
    const right = plain(got) === plain(wanted);
    if (right && known !== undefined) surprises.push(`${key} is right by now, but listed: ${known.reason}`);
    if (!right && known === undefined) surprises.push(`${key} gave ${got} in place of ${wanted}`);
  }
  expect(surprises).to.deep.equal([]);
}
