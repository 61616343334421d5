/** The types of the rows in the table of events, and functions that build them. */

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** The fields that events can have. A name means the same in every event. */
interface Fields {
  /** The request's `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Kind of caller; undefined if the caller was not identified. */
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
  /** Dotted path of the key within the file. */
  readonly key: string;
  /** A suggestion such as `; did you mean "x"?`; empty if no known name is similar. */
  readonly guess: string;
  /** What applies instead. */
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
  readonly documentId: string;
  readonly attribute: string;
  /** The attribute on the other side of a bidirectional relation. */
  readonly otherSide: string;
  readonly option: string;
  readonly type: string;
  readonly role: string;
  readonly action: string;
  readonly kind: string;
  readonly does: string;
  /** Method and path. */
  readonly route: string;
  /** The name of a webhook's endpoint. */
  readonly endpoint: string;
  /** The id of a webhook's delivery. */
  readonly delivery: string;
  /** A part of a Strapi project's code, such as `beforeCreate of api::note.note`. */
  readonly part: string;
  /** A name of Strapi's events, such as `entry.create`. */
  readonly event: string;
  readonly reason: string;
  readonly routes: readonly string[];
  readonly files: readonly string[];
  readonly names: readonly string[];
  readonly about: string;
  /** Name of the database server, such as `mongodb`. */
  readonly engine: string;
  readonly version: string;
  readonly topology: string;
  readonly uids: readonly string[];
  readonly collections: readonly string[];
  /** What the schema requires. */
  readonly wanted: string;
  /** For example `api::book.book writer (3)`. */
  readonly attributes: readonly string[];
  readonly count: number;
  /** The plan summary from the server's profile. */
  readonly plan: string;
}

/** A Prometheus histogram of durations, in seconds, to which an event adds its `ms`. */
interface Histogram<F> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly (keyof F & string)[];
  /** Labels that are not the fields themselves. */
  readonly labels?: (fields: F) => Readonly<Record<string, string | number>>;
}

export interface EventRow<F> {
  readonly fields: readonly (keyof F & string)[];
  readonly level: LogLevel;
  /** Determines the level from the fields; null if the event is not logged. */
  readonly levelOf?: (fields: F) => LogLevel | null;
  /** The message for people. */
  readonly message: (fields: F) => string;
  /** Fields that are not logged in production, where more people may read the logs. */
  readonly confidential?: readonly (keyof F & string)[];
  /** When the event occurs, for docs/events.md. */
  readonly when: string;
  readonly histogram?: Histogram<F>;
  /** For events that `mangrove doctor` reports about a live deployment. */
  readonly finding?: FindingRow<F>;
}

/** A finding of `mangrove doctor`. */
interface FindingRow<F> {
  readonly about: (fields: F) => string;
  readonly text: (fields: F) => string;
  /** What to do; null if there is nothing to do. */
  readonly advice: (fields: F) => string | null;
}

/** A text, or a function that builds it from the fields of an event. */
type Text<F> = string | ((fields: F) => string);
type Of<K extends readonly (keyof Fields)[]> = Pick<Fields, K[number]>;

const textOf = <F>(text: Text<F>): ((fields: F) => string) => (typeof text === 'string' ? () => text : text);

/**
 * Builds a row step by step: the level, the fields, the message, when it occurs, and the optional columns.
 */
export const event =
  (level: LogLevel) =>
  <const K extends readonly (keyof Fields)[]>(...fields: K) => ({
    says: (message: Text<Of<K>>) => ({
      when: (
        when: string,
        more: Pick<EventRow<Of<K>>, 'levelOf' | 'confidential' | 'histogram' | 'finding'> = {},
      ): EventRow<Of<K>> => ({ fields, level, message: textOf(message), when, ...more }),
    }),
  });

/**
 * Builds the row of a finding of `mangrove doctor`.
 * @param about the subject
 * @param level `info` means that all is well, `error` that there is a problem
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
