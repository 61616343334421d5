import type { Buffer } from 'node:buffer';
import type { PopulateField, PopulateFields } from '../../pipeline/populate/populate-fields.js';
import { refersByText, textForm } from '../../pipeline/populate/shape.js';
import type { Doc, Step } from '../../pipeline/types.js';
import type { ContentType } from '../../schema/types.js';
import { placerOf, type Shows } from '../populated.js';
import type { FieldCursor, Member, ObjectWriter, ResponseOutput } from './object.js';
import { CLOSE, CLOSE_LIST, COMMA, NULL, OPEN_LIST } from './output.js';
import { readerAt } from './paths.js';
import { type BsonRow, bytesOf, madeOf, type Reads, rowClass, setMade, startOf } from './rows.js';

export interface RenderOptions {
  /** Components and zone items show their `id`. */
  readonly componentIds: boolean;
  /** `Strapi-Response-Format: v4`. */
  readonly v4: boolean;
}

/** Entries that are rendered alike. */
export interface EntryWriter {
  rowAt(bytes: Buffer, start: number): BsonRow;
  /** The level of the rows in a populate field; undefined if they are not shown. */
  below(field: string): EntryWriter | undefined;
  /** Does not write the closing brace. */
  readonly write: ObjectWriter;
}

/** The entry that contains a selection. */
export interface Within {
  readonly type: ContentType;
  readonly populates: PopulateFields;
  readonly options: RenderOptions;
  /** The level of the rows in a populate field; undefined if they are not shown. */
  below(field: string): EntryWriter | undefined;
}

/** A row placed on its level. */
interface Placed {
  readonly level: EntryWriter;
  readonly row: BsonRow;
  /** Shown as `__type`. */
  readonly type: string | null;
}

/**
 * Writes a row as a JSON object without the closing brace. A row that is shown several times is rendered once
 * and its bytes are copied; the limits are checked before copying.
 */
export function writeRow(answer: ResponseOutput, level: EntryWriter, row: BsonRow): void {
  const { out, limits: meter } = answer;
  const made = madeOf(row);
  if (made) {
    meter.rows += made.rows;
    meter.check(out.length + made.end - made.start);
    out.again(made.start, made.end);
    return;
  }
  const { at: start } = out;
  const { rows } = meter;
  meter.rows += 1;
  level.write(answer, row, bytesOf(row), startOf(row));
  meter.check(out.length);
  setMade(row, { start, end: out.at, rows: meter.rows - rows });
}

export function relationMember(populate: PopulateField, steps: readonly Step[], within: Within): Member {
  const { relation } = populate;
  const { attribute, count } = relation;
  const { v4 } = within.options;
  const place = placerOf<Placed>(populate, showsOf(populate, within), within.type);
  const Item = steps.length === 0 ? null : rowClass([attribute.name, '_links']);
  const reads: Reads = new Map(
    refersByText(populate, within.type) ? [[attribute.name, readerAt(attribute.stored, textForm)]] : [],
  );
  const write = v4 ? writeTypedV4 : writeTyped;

  const writePlaced = (answer: ResponseOutput, placed: unknown): void => {
    const { out } = answer;
    if (placed === null) out.raw(NULL);
    else if (count) out.text(JSON.stringify(v4 ? { attributes: placed } : placed));
    else if (Array.isArray(placed)) {
      out.byte(OPEN_LIST);
      for (const [index, each] of (placed as readonly Placed[]).entries()) {
        if (index > 0) out.byte(COMMA);
        write(answer, each);
      }
      out.byte(CLOSE_LIST);
    } else write(answer, placed as Placed);
  };

  return {
    name: attribute.name,
    stored: null,
    write(answer, { entry, bytes, start }: FieldCursor) {
      const item: Doc = Item ? new Item(bytes, start, reads) : entry;
      const { out } = answer;
      if (v4) out.text('{"data":');
      writePlaced(answer, place(item, entry));
      if (v4) out.byte(CLOSE);
    },
  };
}

function showsOf({ relation, fields }: PopulateField, { below }: Within): Shows<Placed> {
  return {
    of: relation.targets.map((_, index) => (row: Doc) => {
      const level = below(fields[index] ?? '');
      if (!level) throw new TypeError(`no rows in ${fields[index]}`);
      return { level, row: row as BsonRow, type: null };
    }),
    typed: (placed, type) => ({ ...placed, type }),
  };
}

function writeTyped(answer: ResponseOutput, { level, row, type }: Placed): void {
  writeRow(answer, level, row);
  writeType(answer, type);
  answer.out.byte(CLOSE);
}

/** Closes the object `attributes`, or reopens it for the type. */
function writeTypedV4(answer: ResponseOutput, { level, row, type }: Placed): void {
  writeRow(answer, level, row);
  if (type !== null) answer.out.takeBack();
  writeType(answer, type);
  if (type !== null) answer.out.byte(CLOSE);
  answer.out.byte(CLOSE);
}

function writeType({ out }: ResponseOutput, type: string | null): void {
  if (type !== null) out.member('__type', JSON.stringify(type));
}
