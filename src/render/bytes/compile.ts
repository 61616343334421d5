/**
 * Renders rows as JSON without intermediate objects (docs/decisions/007): writers compiled from the plan turn
 * the BSON of rows into JSON. Callers that want objects parse it.
 */
import type { Buffer } from 'node:buffer';
import { serialize } from 'bson';
import type { BudgetLimits } from '../../limits/budget.js';
import { PAGE } from '../../pipeline/populate/assemble.js';
import type { Doc, SetJoin } from '../../pipeline/types.js';
import type { ReadPlan } from '../../query/read-plan.js';
import { asBuffer, decodeAt, eachMember } from '../../values/bson-bytes.js';
import { entryWriter } from './entry-writers.js';
import type { ResponseOutput } from './object.js';
import { CLOSE, COMMA, Output } from './output.js';
import { type EntryWriter, type RenderOptions, writeRow } from './relations.js';
import { responseLimits } from './response-limits.js';
import { type BsonRow, bytesOf, readMember, rowsAt, spell, startOf } from './rows.js';

const REVISION = spell('_rev');

/** Reads and writes the rows of one plan. */
export interface Render {
  /** A row of the page. */
  row(bytes: Uint8Array): Doc;
  /** The single document returned by a read in sets. */
  lists(bytes: Uint8Array, joins: readonly SetJoin[]): Doc;
  /** The revision of a row of the page; null if it has none. */
  revision(row: Doc): string | null;
  /** A member of a row of the page that is not shown. */
  member(row: Doc, name: string): unknown;
  /**
   * Opens a writer for the rows of one read, in order.
   * @param limits null: none
   * @param answered size of the largest answer to this query so far, in bytes; updated
   */
  open(limits: BudgetLimits | null, answered: { bytes: number }): RowsWriter;
  /** An entry that is about to be stored, as it will be rendered once it is; for plans that populate nothing. */
  entry(entry: Doc): Doc;
}

interface RowsWriter {
  readonly out: Output;
  /** Throws a 400 if the answer exceeds its limits. */
  write(row: Doc): void;
}

export function compileRender(plan: Pick<ReadPlan, 'selection' | 'type'>, options: RenderOptions): Render {
  const page = entryWriter(plan.selection, plan.type, options);
  const render: Render = {
    row: (bytes) => page.rowAt(asBuffer(bytes), 0),
    lists: (bytes, joins) => listsOf(asBuffer(bytes), levelsOf(page, joins)),
    revision(row) {
      const revision = readMember(bytesOf(row as BsonRow), startOf(row as BsonRow), REVISION);
      return revision === undefined || revision === null ? null : String(revision);
    },
    member: (row, name) => readMember(bytesOf(row as BsonRow), startOf(row as BsonRow), spell(name)),
    open(limits, answered) {
      const answer: ResponseOutput = { out: new Output(answered.bytes), limits: responseLimits(limits) };
      const { out } = answer;
      let first = true;
      return {
        out,
        write(row) {
          if (!first) out.byte(COMMA);
          first = false;
          writeRow(answer, page, row as BsonRow);
          out.byte(CLOSE);
          answered.bytes = Math.max(answered.bytes, out.length);
        },
      };
    },
    entry(entry) {
      const { out, write } = render.open(null, { bytes: 0 });
      write(render.row(serialize(entry)));
      return out.values()[0] as Doc;
    },
  };
  return render;
}

/** The level of each list of rows in a read in sets, by the list's name. */
function levelsOf(page: EntryWriter, joins: readonly SetJoin[]): ReadonlyMap<string, EntryWriter> {
  const levels = new Map([[PAGE, page]]);
  for (const { from, field, found } of joins) {
    const level = levels.get(from)?.below(field);
    if (level) levels.set(found, level);
  }
  return levels;
}

function listsOf(bytes: Buffer, levels: ReadonlyMap<string, EntryWriter>): Doc {
  const lists: Record<string, unknown> = {};
  eachMember(bytes, 0, (type, at, name) => {
    const list = bytes.toString('latin1', name, at - 1);
    const level = levels.get(list);
    lists[list] = level ? rowsAt(level.rowAt)(type, bytes, at) : decodeAt(type, bytes, at);
  });
  return lists;
}
