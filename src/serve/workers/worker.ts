/** One of several processes that share a port (`--workers`). */
import { createEventLog, type EventLog } from '../../events/event-log.js';
import { explainError, note, printGreeting } from '../../terminal/output.js';
import { startServing } from '../index.js';
import { recordLateErrors } from '../late-errors.js';
import { type FromWorker, ORDER, type ToWorker, type WorkerOrder } from './messages.js';

const order: WorkerOrder = JSON.parse(process.env[ORDER] ?? '{}');
// Removed from the environment, so that processes started by the project's code do not inherit it.
delete process.env[ORDER];
const send = (message: FromWorker): void => void process.send?.(message);

const log = createEventLog({ level: 'info', production: true, worker: order.number });
const pending = new Map<number, (text: string) => void>();
let requests = 0;
/** The metrics of all workers. */
const metrics = (): Promise<string> =>
  new Promise((resolve) => {
    const id = ++requests;
    pending.set(id, resolve);
    send({ is: 'all-metrics-requested', id });
  });
const events: EventLog = { ...log, metrics };

let stop: ((lingers: boolean) => Promise<void>) | null = null;
let leaving = false;
const leave = (): void => {
  leaving = true;
  if (!stop) return;
  const stopping = stop(true);
  stop = null;
  stopping.then(
    () => process.exit(0),
    () => process.exit(1),
  );
};

process.on('message', (message: ToWorker) => {
  if (message.do === 'stop') leave();
  else if (message.do === 'send-metrics')
    void log.metricValues().then((values) => send({ is: 'metrics', id: message.id, values }));
  else {
    pending.get(message.id)?.(message.text);
    pending.delete(message.id);
  }
});
process.on('SIGTERM', leave);
// The terminal sends these to all processes; the primary process handles them.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

try {
  const { seed, greets, isFirstOfStart, ignoreCode, root, agreed } = order;
  const serving = await startServing({
    root,
    agreed,
    events,
    joins: !isFirstOfStart,
    ...(ignoreCode !== null && { overrides: { code: { ignore: ignoreCode } } }),
    ...(seed !== null && { seed }),
    ...(greets && { print: printGreeting }),
  });
  recordLateErrors(serving);
  stop = serving.stop;
  if (leaving) leave();
} catch (error) {
  note(explainError(error));
  process.exit(1);
}
