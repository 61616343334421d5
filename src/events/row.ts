/** What a row of the table of events is made of. */

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** What events carry. A name means the same in each of them. */
interface Fields {
  /** The request's `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Kind of caller; undefined before anyone was identified. */
  readonly as: string | undefined;
  readonly err: unknown;
  readonly port: number;
  readonly url: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly job: string;
  readonly worker: number;
  readonly indexes: readonly string[];
  readonly collection: string;
  readonly entries: number;
  /** Relative to the project. */
  readonly file: string;
  /** The dotted path of what is meant, within the file. */
  readonly key: string;
  /** What was probably meant, as `; did you mean "x"?`; empty where nothing is near. */
  readonly guess: string;
  /** What holds instead. */
  readonly instead: string;
  readonly meaning: string;
  readonly known: readonly string[];
  readonly middleware: string;
  readonly plugin: string;
  readonly provider: string;
  readonly package: string;
  readonly variable: string;
  readonly characters: number;
  readonly advised: number;
  readonly uid: string;
  readonly attribute: string;
  /** The attribute of the other content type that belongs to the same relation. */
  readonly otherSide: string;
  readonly option: string;
  readonly type: string;
  readonly role: string;
  readonly action: string;
  readonly kind: string;
  readonly does: string;
  readonly reason: string;
  readonly routes: readonly string[];
  readonly names: readonly string[];
  readonly about: string;
  /** A deployment's name for what it runs, such as `mongodb`. */
  readonly engine: string;
  readonly version: string;
  readonly topology: string;
  readonly uids: readonly string[];
  readonly collections: readonly string[];
  /** What the schema files say. */
  readonly wanted: string;
  /** `api::book.book writer (3)`. */
  readonly attributes: readonly string[];
  readonly count: number;
  /** How the server found its documents; of a profile. */
  readonly plan: string;
}

/** A series of Prometheus that an event adds an observation to. */
interface Histogram<F> {
  readonly name: string;
  readonly help: string;
  readonly labels: (fields: F) => Readonly<Record<string, string | number>>;
  readonly value: (fields: F) => number;
}

export interface EventRow<F> {
  readonly fields: readonly (keyof F & string)[];
  readonly level: Level;
  /** What the fields make of the level; null: not logged. */
  readonly levelOf?: (fields: F) => Level | null;
  /** What a person reads. */
  readonly message: (fields: F) => string;
  /** Fields that are not logged in production, where a log may be read by many. */
  readonly confidential?: readonly (keyof F & string)[];
  /** For the page of events. */
  readonly when: string;
  readonly histogram?: Histogram<F>;
  /** Of what a look at a live deployment finds. */
  readonly finding?: FindingRow<F>;
}

/** A finding of `mangrove doctor`. */
interface FindingRow<F> {
  readonly about: (fields: F) => string;
  readonly text: (fields: F) => string;
  /** What to do; null where there is nothing. */
  readonly advice: (fields: F) => string | null;
}

/** A text, or what makes it of the fields of an event. */
type Text<F> = string | ((fields: F) => string);
type Of<K extends readonly (keyof Fields)[]> = Pick<Fields, K[number]>;

const textOf = <F>(text: Text<F>): ((fields: F) => string) => (typeof text === 'string' ? () => text : text);

/** A row of an event of this level, step by step: its fields, what a person reads, and when it comes, with what else there is to it. */
export const event =
  (level: Level) =>
  <const K extends readonly (keyof Fields)[]>(...fields: K) => ({
    says: (message: Text<Of<K>>) => ({
      when: (
        when: string,
        more: Pick<EventRow<Of<K>>, 'levelOf' | 'confidential' | 'histogram' | 'finding'> = {},
      ): EventRow<Of<K>> => ({ fields, level, message: textOf(message), when, ...more }),
    }),
  });

/**
 * A row of what a look at a live deployment finds.
 * @param about what it is said of
 * @param level `info` is as it should be, `error` is a problem
 */
export const finding = <const K extends readonly (keyof Fields)[]>(
  about: Text<Of<K>>,
  level: 'info' | 'warn' | 'error',
  fields: K,
) => ({
  says(text: Text<Of<K>>) {
    const [subject, message] = [textOf(about), textOf(text)];
    const advises = (advice: Text<Of<K>> | null) => ({
      when(when: string): EventRow<Of<K>> {
        const advise = typeof advice === 'function' ? advice : () => advice;
        return event(level)(...fields)
          .says((given) =>
            [`database ${subject(given)}: ${message(given)}`, advise(given)].filter(Boolean).join('. '),
          )
          .when(when, { finding: { about: subject, text: message, advice: advise } });
      },
    });
    return { advises, when: advises(null).when };
  },
});
