import { type DestinationStream, destination, pino } from 'pino';
import { type AppEvent, levelOf, messageOf, type RecordEvent, rowOf } from './events.js';
import { createMetrics, type Metrics, type MetricValues } from './metrics.js';

/**
 * The logger for the project's own code. The first argument may be an object, whose members are added to the
 * line.
 */
export interface ProjectLogger {
  debug(what: object | string, message?: string): void;
  info(what: object | string, message?: string): void;
  warn(what: object | string, message?: string): void;
  error(what: object | string, message?: string): void;
}

export interface LogSettings {
  /** A level of `strapi::logger`. */
  readonly level: string;
  /** Omits confidential fields. */
  readonly production: boolean;
  /** Whether events are counted from now on. */
  readonly metrics?: boolean;
  /** The worker's number, if several processes serve one port. */
  readonly worker?: number;
}

/** Receives events: each is logged, depending on its level, and counted, if the server publishes metrics. */
export interface EventLog {
  readonly record: RecordEvent;
  /** Metrics in Prometheus' text format; of all processes if several serve one port. */
  metrics(): Promise<string>;
  /** The metrics of this process. */
  metricValues(): Promise<MetricValues>;
  /** Changes the settings for later events. */
  configure(settings: LogSettings): void;
  /** The same log, for the project's own code. */
  readonly logger: ProjectLogger;
}

/** The fields of an event, in the order of its row. */
const fieldsOf = (event: AppEvent, production: boolean): Readonly<Record<string, unknown>> => {
  const { fields, confidential = [] } = rowOf(event);
  const values = new Map<string, unknown>(Object.entries(event));
  const shown = production ? fields.filter((field) => !confidential.includes(field)) : fields;
  return Object.fromEntries(shown.map((field) => [field, values.get(field)]));
};

/**
 * Log lines are buffered until there are this many characters or this many milliseconds have passed, so that
 * no request waits for them.
 */
const [LINES_AT_ONCE, LATEST_MS] = [4096, 100];

let standardOutput: DestinationStream | undefined;

/** Standard output, shared by all logs of the process, whose end flushes it. */
const inTheBackground = (): DestinationStream => {
  standardOutput ??= destination({
    dest: 1,
    sync: false,
    minLength: LINES_AT_ONCE,
    periodicFlush: LATEST_MS,
  });
  return standardOutput;
};

/** A log of JSON lines. @param stream standard output if absent */
export function createEventLog(
  settings: LogSettings,
  stream: DestinationStream = inTheBackground(),
): EventLog {
  const root = pino({ level: settings.level }, stream);
  const { worker } = settings;
  const logger = worker === undefined ? root : root.child({ worker });
  let { production } = settings;
  let metrics: Metrics | null = null;
  const countIf = (wanted = false): void => {
    if (wanted) metrics ??= createMetrics(worker);
  };
  countIf(settings.metrics);
  return {
    record(event) {
      metrics?.count(event);
      const at = levelOf(event);
      if (at !== null && logger.isLevelEnabled(at))
        logger[at]({ event: event.name, ...fieldsOf(event, production) }, messageOf(event));
    },
    metrics: async () => (await metrics?.text()) ?? '',
    metricValues: async () => (await metrics?.values()) ?? [],
    configure(next) {
      logger.level = next.level;
      production = next.production;
      countIf(next.metrics);
    },
    logger,
  };
}

/** A log on standard error, for commands whose data goes to standard output. */
export const standardErrorLog = (settings: LogSettings): EventLog => createEventLog(settings, destination(2));
