import type { Document } from 'bson';
import { rootOf } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/** A pipeline that gathers its rows in one document, whose later stages only look up what their fields refer to. */
export interface GatheredRows {
  /** The projection of each row. */
  readonly projection: Document;
  /** The top-level fields of a row that later stages read. */
  readonly fields: ReadonlySet<string>;
  /** What follows the projection. */
  readonly rest: readonly Document[];
}

/**
 * Reads `[$project, $group: { _id: null, list: { $push: '$$ROOT' } }, …]`, followed by stages that leave the list as it is; undefined for
 * anything else, and if a later stage may read whole rows.
 */
export function gatheredRows([first, group, ...later]: readonly Document[]): GatheredRows | undefined {
  const projection: unknown = first?.['$project'];
  const list = gatheredIn(group?.['$group']);
  if (!isDocument(projection) || group === undefined || list === undefined) return undefined;
  const reads = new ReadsOfList(list);
  if (!later.every((stage) => reads.stage(stage))) return undefined;
  return { projection, fields: reads.fields, rest: [group, ...later] };
}

/** The field that a `$group` pushes all of its documents to, whole. */
function gatheredIn(group: unknown): string | undefined {
  if (!isDocument(group)) return undefined;
  const { _id, ...outputs } = group;
  const [[list, output] = ['', null], ...others] = Object.entries(outputs);
  const isAll = _id === null && others.length === 0 && isDocument(output);
  return isAll && Object.keys(output).length === 1 && output['$push'] === '$$ROOT' ? list : undefined;
}

/** The name of a variable that is not `CURRENT`, which would change what every path is read from. */
const isPlainName = (name: unknown): name is string => typeof name === 'string' && /^[a-z]\w*$/.test(name);

/** Which fields of a list's documents are read. Its functions are false for whatever may read, or change, more of them. */
class ReadsOfList {
  readonly fields = new Set<string>();

  constructor(private readonly list: string) {}

  stage(stage: Document): boolean {
    const { $set, $lookup, ...others } = stage;
    if (Object.keys(others).length > 0) return false;
    if (isDocument($lookup)) {
      const { localField, as, let: variables = {} } = $lookup;
      return this.path(localField) && !this.isRooted(as) && this.expression(variables, []);
    }
    if (!isDocument($set)) return false;
    return Object.entries($set).every(([path, value]) => !this.isRooted(path) && this.expression(value, []));
  }

  /** A path that is followed through all rows. */
  private path(path: unknown): boolean {
    if (typeof path !== 'string' || !this.isRooted(path)) return true;
    const [, field] = path.split('.');
    // A number is the place of a row.
    if (field === undefined || /^\d+$/.test(field)) return false;
    this.fields.add(field);
    return true;
  }

  private isRooted(path: unknown): boolean {
    return typeof path === 'string' && rootOf(path) === this.list;
  }

  /** @param rows the variables that a row is bound to */
  private expression(value: unknown, rows: readonly string[]): boolean {
    if (typeof value === 'string') return this.reference(value, rows);
    if (Array.isArray(value)) return value.every((item) => this.expression(item, rows));
    if (!isDocument(value)) return true;
    return Object.entries(value).every(([name, operand]) => {
      if (name === '$literal') return true;
      // Its field may be any, of any document.
      if (name === '$getField') return false;
      if (name === '$map' && isDocument(operand) && operand['input'] === `$${this.list}`)
        return isPlainName(operand['as']) && this.expression(operand['in'], [...rows, operand['as']]);
      return this.expression(operand, rows);
    });
  }

  private reference(text: string, rows: readonly string[]): boolean {
    if (!text.startsWith('$$')) return !text.startsWith('$') || !this.isRooted(text.slice(1));
    const [name = '', field] = text.slice(2).split('.');
    if (name === 'ROOT' || name === 'CURRENT') return false;
    if (!rows.includes(name)) return true;
    if (field !== undefined) this.fields.add(field);
    return field !== undefined;
  }
}
