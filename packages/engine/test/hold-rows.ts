import { expect } from 'chai';

/** A case of a table: the query, the expected result as a string, and how to get the engine's. */
export interface Row {
  readonly input: unknown;
  readonly wanted: string;
  ask(): Promise<string>;
}

/** The form of a result that is an error. */
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

/** Runs every row of a table and compares the results with the expected ones. */
export async function holdRows(rows: readonly Row[]): Promise<void> {
  const surprises: string[] = [];
  for (const { input, wanted, ask } of rows) {
    const got = await answer(ask);
    if (got !== wanted) surprises.push(`${JSON.stringify(input)} gave ${got} instead of ${wanted}`);
  }
  expect(surprises).to.deep.equal([]);
}
