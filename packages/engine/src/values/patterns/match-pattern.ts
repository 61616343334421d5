import { tick } from '../work.js';
import {
  CUT,
  type Ends,
  type Go,
  type Match,
  MatchLimit,
  oneCharacter,
  place,
  Search,
  STEPS_FROM,
} from './search.js';
import type { ParsedPattern, Part, Repeat, Verb } from './syntax.js';

type Character = Part & { readonly kind: 'character' };

class Compiler {
  private depth = 0;

  constructor(
    private readonly search: Search,
    private readonly names: ReadonlyMap<string, number>,
  ) {}

  compile(part: Part, next: Go): Go {
    const { search } = this;
    switch (part.kind) {
      case 'character':
        return this.characters([part], next);
      case 'place': {
        const holds = place(search, part.source);
        return (at) => (holds(at) ? next(at) : -1);
      }
      case 'sequence':
        return this.sequence(part.parts, next);
      case 'choice': {
        this.depth += 1;
        const options = part.options.map((option) => this.compile(option, next));
        const ofOption = this.ofOption;
        this.depth -= 1;
        return (at) => {
          for (const option of options) {
            search.step();
            const end = option(at);
            if (end !== -1 && end !== ofOption) return end;
          }
          return -1;
        };
      }
      case 'capture':
        return this.capture(part.group, part.body, next);
      case 'look':
        return this.look(part, next);
      case 'atomic': {
        const body = this.compile(part.body, (at) => at);
        return (at) => {
          const end = body(at);
          return end < 0 ? end : next(end);
        };
      }
      case 'verb':
        return this.verb(part.verb, next);
      case 'reference':
        return this.reference(part.to, part.flags, next);
      case 'repeat':
        return part.body.kind === 'character' ? this.run(part, part.body, next) : this.loop(part, next);
    }
  }

  /** Parts one after another; neighbouring characters are compared in a loop, since there may be thousands. */
  private sequence(parts: readonly Part[], next: Go): Go {
    let go = next;
    for (let i = parts.length; i > 0; ) {
      const last = i;
      while (parts[i - 1]?.kind === 'character') i -= 1;
      if (i < last) go = this.characters(parts.slice(i, last) as Character[], go);
      if (i > 0) go = this.compile(parts[--i] as Part, go);
    }
    return go;
  }

  private characters(parts: readonly Character[], next: Go): Go {
    const ones = parts.map(({ source, flags }) => oneCharacter(this.search, source, flags));
    return (at) => {
      let end = at;
      for (const one of ones) {
        tick();
        end = one(end);
        if (end < 0) return -1;
      }
      return next(end);
    };
  }

  private capture(group: number, part: Part, next: Go): Go {
    const { search } = this;
    const starts: number[] = [];
    const body = this.compile(part, (at) => {
      const before = search.groups[group - 1] as Ends;
      const from = starts.pop() as number;
      search.groups[group - 1] = [from, at];
      const end = next(at);
      if (end < 0) search.groups[group - 1] = before;
      starts.push(from);
      return end;
    });
    return (at) => {
      starts.push(at);
      const end = body(at);
      starts.pop();
      return end;
    };
  }

  private look({ behind, negative, body }: Part & { kind: 'look' }, next: Go): Go {
    let wanted = -1;
    const go = this.compile(body, (at) => (!behind || at === wanted ? at : -1));
    const holds = (at: number): boolean => {
      if (!behind) return go(at) >= 0;
      const before = wanted;
      wanted = at;
      let found = false;
      for (let from = at; from >= 0 && !found; from--) {
        this.search.step();
        found = go(from) >= 0;
      }
      wanted = before;
      return found;
    };
    return (at) => {
      const begins = this.search.next;
      const held = holds(at);
      this.search.next = begins;
      return held === negative ? -1 : next(at);
    };
  }

  private get ofOption(): number {
    return CUT - 1 - this.depth;
  }

  private verb(verb: Verb, next: Go): Go {
    const { search } = this;
    if (verb === 'ACCEPT') return (at) => at;
    if (verb === 'FAIL' || verb === 'F') return () => -1;
    const back = verb === 'THEN' ? this.ofOption : CUT;
    return (at) => {
      const end = next(at);
      if (end !== -1) return end;
      if (verb === 'COMMIT') search.next = Number.POSITIVE_INFINITY;
      if (verb === 'SKIP') search.next = at;
      return back;
    };
  }

  private reference(to: number | string, flags: string, next: Go): Go {
    const { search } = this;
    const group = typeof to === 'number' ? to : this.names.get(to);
    if (group === undefined) throw new SyntaxError('reference to non-existent subpattern');
    const fold = (text: string): string => (flags.includes('i') ? text.toLowerCase() : text);
    return (at) => {
      const [from, end] = search.groups[group - 1] ?? [-1, -1];
      if (from < 0) return -1;
      const text = search.text.slice(from, end);
      return fold(search.text.slice(at, at + text.length)) === fold(text) ? next(at + text.length) : -1;
    };
  }

  /** A repeated character: taken all at once and given back one by one. */
  private run({ min, max, lazy }: Repeat, { source, flags }: Character, next: Go): Go {
    const { search } = this;
    const one = oneCharacter(search, source, flags);
    const part = search.newPart();
    const taking =
      (go: Go): Go =>
      (at) =>
        search.from(part, at, go);
    if (lazy) {
      return taking((at) => {
        let end = at;
        for (let count = 0; ; count++) {
          search.stepInRun();
          const found = count >= min ? next(end) : -1;
          if (found !== -1) return found;
          end = count < max ? one(end) : -1;
          if (end < 0) return -1;
        }
      });
    }
    return taking((at) => {
      const ends = [at];
      while (ends.length <= max) {
        const end = one(ends.at(-1) as number);
        if (end < 0) break;
        search.stepInRun();
        ends.push(end);
      }
      while (ends.length > min) {
        search.stepInRun();
        const found = next(ends.pop() as number);
        if (found !== -1) return found;
      }
      return -1;
    });
  }

  /** Any other repeated part: its count and its last beginning are stored while what follows is tried. */
  private loop({ body, min, max, lazy }: Repeat, next: Go): Go {
    const { search } = this;
    let count = 0;
    let began = -1;
    const kept = (work: () => number): number => {
      const before = { count, began };
      const end = work();
      ({ count, began } = before);
      return end;
    };
    const part = search.newPart();
    const counted = max === Number.POSITIVE_INFINITY ? min + 1 : max;
    search.addLoop({
      count: (counted + 1) * 2,
      at: (place) => Math.min(count, counted) * 2 + (place === began ? 1 : 0),
    });
    const again: Go = (at) => search.from(part, at, turn);
    const turn: Go = (at) => {
      search.step();
      // An optional repetition that matches nothing does not count.
      if (at === began && count > min) return -1;
      const enter = (): number =>
        count < max
          ? kept(() => {
              count += 1;
              began = at;
              return inner(at);
            })
          : -1;
      const leave = (): number => (count >= min ? kept(() => next(at)) : -1);
      if (lazy) {
        const end = leave();
        return end === -1 ? enter() : end;
      }
      const end = enter();
      return end === -1 ? leave() : end;
    };
    const inner: Go = this.compile(body, again);
    return (at) =>
      kept(() => {
        count = 0;
        began = -1;
        return again(at);
      });
  }
}

/** Whether anything other than the position and what follows decides: captured text, or a way back. */
function looksElsewhere(part: Part): boolean {
  switch (part.kind) {
    case 'reference':
    case 'verb':
      return true;
    case 'look':
      return part.behind || looksElsewhere(part.body);
    case 'sequence':
      return part.parts.some(looksElsewhere);
    case 'choice':
      return part.options.some(looksElsewhere);
    case 'character':
    case 'place':
      return false;
    default:
      return looksElsewhere(part.body);
  }
}

/** Whether a match of the pattern is as good from any position of a line as from its beginning. */
const takesLine = (root: Part): boolean => {
  const first = root.kind === 'sequence' ? root.parts[0] : root;
  return (
    first?.kind === 'repeat' &&
    first.body.kind === 'character' &&
    first.body.source === '[^\\n]' &&
    first.max > 1
  );
};

/**
 * A backtracking matcher that counts its steps. Returns a function that finds the first match from a position on; it throws
 * `MatchLimit` if a string takes too many steps. With `remembers` it tries no dead end twice, if only the position decides what
 * is one, and so needs few steps for most patterns.
 */
export function compileMatcher(
  parsed: ParsedPattern,
  own?: number,
): (text: string, from: number, remembers?: boolean) => Match | undefined {
  const limit = own ?? STEPS_FROM;
  const search = new Search(own === undefined);
  // If a pattern sets its own limit, its steps are counted as PCRE counts them.
  const mayRemember = own === undefined && !looksElsewhere(parsed.root);
  const go = new Compiler(search, parsed.names).compile(parsed.root, (at) => at);
  const skips = takesLine(parsed.root);
  return (text, from, remembers = false) => {
    search.begin(text);
    search.remembers = remembers && mayRemember;
    try {
      search.next = from;
      for (let at = from; at <= text.length; at++) {
        if (at < search.next) continue;
        if (skips && at > from && text[at - 1] !== '\n') continue;
        search.left = limit;
        search.groups = Array.from({ length: parsed.groups }, (): Ends => [-1, -1]);
        const to = go(at);
        // PCRE's own count, which a pattern may set, begins with one for the match itself and must not be used up.
        if (to >= 0 && own !== undefined && search.left < 2) throw new MatchLimit();
        if (to >= 0) return { from: at, to, groups: search.groups };
        if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
      }
    } catch (error) {
      // The stack is full because of deeply nested repetitions.
      if (error instanceof RangeError) throw new MatchLimit();
      throw error;
    }
    return undefined;
  };
}
