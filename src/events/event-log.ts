import { type DestinationStream, destination, pino } from 'pino';
import { type AppEvent, levelOf, messageOf, type RecordEvent, rowOf } from './events.js';
import { createMetrics } from './metrics.js';

/** What the project's own code writes to the log. The first argument may be an object, whose members go into the line. */
export interface ProjectLogger {
  debug(what: object | string, message?: string): void;
  info(what: object | string, message?: string): void;
  warn(what: object | string, message?: string): void;
  error(what: object | string, message?: string): void;
}

export interface LogSettings {
  /** A level of `strapi::logger`. */
  readonly level: string;
  /** Leaves out what is confidential. */
  readonly production: boolean;
  /** The number of the process, where several serve one port. */
  readonly worker?: number;
}

/** Where events go: each becomes a line of the log, by its level, and is counted. */
export interface EventLog {
  readonly record: RecordEvent;
  /** Prometheus' text format; of all processes where several serve one port. */
  metrics(): string | Promise<string>;
  /** From now on. */
  configure(settings: LogSettings): void;
  /** The same log, for the project's own code. */
  readonly logger: ProjectLogger;
}

/** What an event carries, in the order of its row. */
const fieldsOf = (event: AppEvent, production: boolean): Readonly<Record<string, unknown>> => {
  const { fields, confidential = [] } = rowOf(event);
  const values = new Map<string, unknown>(Object.entries(event));
  const shown = production ? fields.filter((field) => !confidential.includes(field)) : fields;
  return Object.fromEntries(shown.map((field) => [field, values.get(field)]));
};

/** Lines wait for so many characters or milliseconds before they are written, so that no request waits for them. */
const [LINES_AT_ONCE, LATEST_MS] = [4096, 100];

let standardOutput: DestinationStream | undefined;

/** Standard output, one for all logs of the process. A timer runs while lines wait; they are written when the process ends, too. */
function inTheBackground(): DestinationStream {
  if (standardOutput) return standardOutput;
  const output = destination({ dest: 1, sync: false, minLength: LINES_AT_ONCE });
  let waiting = 0;
  let scheduled = false;
  output.on('write', (bytes: number) => {
    waiting -= bytes;
  });
  const flush = (): void => {
    scheduled = false;
    if (waiting === 0) return;
    output.flush();
    wait();
  };
  const wait = (): void => {
    if (scheduled) return;
    scheduled = true;
    setTimeout(flush, LATEST_MS).unref();
  };
  standardOutput = {
    write(lines) {
      output.write(lines);
      waiting += Buffer.byteLength(lines);
      wait();
    },
  };
  return standardOutput;
}

/** A log of JSON lines. @param stream standard output if absent */
export function createEventLog(
  settings: LogSettings,
  stream: DestinationStream = inTheBackground(),
): EventLog {
  const root = pino({ level: settings.level }, stream);
  const { worker } = settings;
  const logger = worker === undefined ? root : root.child({ worker });
  let { production } = settings;
  const metrics = createMetrics();
  return {
    record(event) {
      metrics.count(event);
      const at = levelOf(event);
      if (at !== null && logger.isLevelEnabled(at))
        logger[at]({ event: event.name, ...fieldsOf(event, production) }, messageOf(event));
    },
    metrics: metrics.text,
    configure(next) {
      logger.level = next.level;
      production = next.production;
    },
    logger,
  };
}

/** A log on standard error: standard output is for the data of a command. */
export const standardErrorLog = (settings: LogSettings): EventLog => createEventLog(settings, destination(2));
