import type { Staging } from '../../store/transfer/staging.js';
import { addTo } from '../../values/group.js';
import { placeKeyOf, type StagedProblem } from '../run/rows.js';
import type { ImportProblem } from '../source/types.js';

/** A line of the report about a row, item, type or attribute. */
interface Line {
  /** After the key, by `partsOfPlace`. */
  readonly words: readonly string[];
  readonly problem: ImportProblem;
}

/** A key under which lines may name a place, and how many words of the place it stands for. */
export interface LineKey {
  readonly key: string;
  readonly depth: number;
}

/** A place in a row: an attribute at any depth. */
export interface ReportedPlace {
  readonly words: readonly string[];
  readonly keys: readonly LineKey[];
  /** The attribute and those around it as the schema names them: `api::page.page title`. */
  readonly attributes: readonly string[];
  /** Words that may come before those of the place: the locale of the row, its id. */
  readonly prefixes: readonly (string | null)[];
}

export type Verdict = 'kept' | 'lost' | null;

/** The attributes and positions in a place: `chapters[0] title` is `chapters`, `0`, `title`. */
export const partsOfPlace = (text: string): readonly string[] =>
  (text.split('→')[0] ?? '').split(/[\s/[\].]+/).filter((word) => word !== '');

const isPrefix = (start: readonly string[], words: readonly string[]): boolean =>
  start.length > 0 && start.every((word, at) => words[at] === word);

/** The lines of the report about some places. */
export class Reported {
  readonly #lines = new Map<string, Line[]>();

  /** The lines about these keys. */
  static async about(staging: Staging, keys: Iterable<string>): Promise<Reported> {
    const found = await staging.findBy<StagedProblem>('problems', 'place', [...new Set(keys)]);
    return new Reported(found.map(({ problem }) => problem));
  }

  constructor(problems: Iterable<ImportProblem>) {
    for (const problem of problems) {
      const key = placeKeyOf(problem.at);
      addTo(this.#lines, key, { words: partsOfPlace(problem.at.slice(key.length)), problem });
    }
  }

  /**
   * Whether any line is about this key.
   * @param mention words that it must contain
   */
  about(key: string, mention: string | null = null): boolean {
    const lines = this.#lines.get(key) ?? [];
    return lines.some(({ problem }) => mention === null || says(problem, mention));
  }

  /** Whether a row as a whole was left out or placed otherwise. */
  onRow(keys: readonly string[]): Verdict {
    const found = keys
      .flatMap((key) => this.#lines.get(key) ?? [])
      .filter(({ words, problem }) => words.length < 2 && ['entry', 'schema'].includes(problem.what));
    if (found.length === 0) return null;
    return found.some(({ problem }) => !problem.kept) ? 'lost' : 'kept';
  }

  /**
   * What the report says of a place: its value is kept elsewhere or in another form, or it is lost.
   * @param mention a text that the line must contain, such as the target of a link
   */
  verdict(place: ReportedPlace, mention: string | null = null): Verdict {
    const own = place.keys.flatMap((key) => this.#linesAt(key, place));
    const named = own.filter(({ problem }) => mention === null || mentions(problem, mention));
    if (named.some(({ problem }) => !problem.kept)) return 'lost';
    if (named.length > 0) return 'kept';
    return place.attributes.some((key) => this.#lines.has(key)) ? 'kept' : null;
  }

  /** The lines that name exactly this place. */
  #naming(place: ReportedPlace): readonly Line[] {
    const lines = place.keys.flatMap((key) => this.#linesAt(key, place));
    return lines.filter(({ words }) => words.length >= place.words.length);
  }

  names(place: ReportedPlace): boolean {
    return this.#naming(place).length > 0;
  }

  /** The lines without those that name exactly this place. */
  except(place: ReportedPlace): Reported {
    const naming = new Set(this.#naming(place));
    const others = [...this.#lines.values()].flat().filter((line) => !naming.has(line));
    return new Reported(others.map(({ problem }) => problem));
  }

  #linesAt({ key, depth }: LineKey, { words, prefixes }: ReportedPlace): readonly Line[] {
    const lines = this.#lines.get(key) ?? [];
    return lines.filter(({ words: line }) => {
      const [first = ''] = line;
      const after = prefixes.includes(first) ? line.slice(1) : line;
      return [line, after].some((start) => isPrefix(start, words) || isPrefix(start, words.slice(depth)));
    });
  }
}

const mentions = ({ at, why }: ImportProblem, text: string): boolean =>
  `${at} ${why}`.split(/\s+/).includes(text);

/** The same for several words; commas only separate them. */
const says = ({ why }: ImportProblem, words: string): boolean =>
  ` ${why.split(/[\s,]+/).join(' ')} `.includes(` ${words} `);
