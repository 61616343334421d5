import { EVENTS, type EventName } from '../../src/events/events.js';
import { asTable } from './as-table.js';

const isName = (name: string): name is EventName => Object.hasOwn(EVENTS, name);

/** The events of the log, the metrics and the warnings, as docs/events.md has them. */
export const eventTable = (): string =>
  asTable(
    ['event', 'level', 'fields', 'when'],
    Object.keys(EVENTS)
      .filter(isName)
      .map((name) => {
        const { level, fields, when } = EVENTS[name];
        return [`\`${name}\``, level, fields.map((field) => `\`${field}\``).join(', ') || '–', when];
      }),
  );
