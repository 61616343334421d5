/** Everything that Mangrove reports of itself: the log, the metrics, the warnings of a start or of `mangrove check` and the findings of `mangrove doctor` are made from this table. */
import { FOUND } from './findings.js';
import { type EventRow, event, type Level } from './row.js';

export type { Level } from './row.js';

/** Methods are labels: only those that exist, so that no caller makes new series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const ROWS = {
  'server-listening': event(['port', 'url'], {
    level: 'info',
    message: () => 'listening',
    when: 'the server accepts requests',
  }),
  'server-stopped': event([], {
    level: 'info',
    message: () => 'stopped',
    when: 'everything is closed after SIGTERM, SIGINT or `close`',
  }),
  'worker-ended': event(['worker', 'reason'], {
    level: 'warn',
    message: ({ worker, reason }) => `worker ${worker} ended by itself (${reason}) and is started again`,
    when: 'one of several processes that serve one port ended without having been asked to',
  }),
  'worker-given-up': event(['worker'], {
    level: 'error',
    message: ({ worker }) => `worker ${worker} ended again and again: the server stops`,
    when: 'a worker ended five times in a row within ten seconds of its start',
  }),
  'worker-not-replaced': event(['worker', 'err'], {
    level: 'error',
    message: ({ worker }) => `worker ${worker} could not be replaced; the one there was goes on`,
    when: 'a new process could not serve after SIGHUP, as after a mistake in the configuration',
  }),
  'workers-restarted': event([], {
    level: 'info',
    message: () => 'all workers were replaced',
    when: 'SIGHUP has put a new process in the place of each',
  }),
  'stop-failed': event(['err'], {
    level: 'error',
    message: () => 'the server could not be stopped in order',
    when: 'closing failed; the process exits with 1',
  }),
  'request-received': event(['id', 'method', 'path'], {
    level: 'trace',
    message: () => 'received',
    when: 'a request arrives',
  }),
  'request-answered': event(['id', 'method', 'path', 'status', 'ms', 'as'], {
    level: 'info',
    levelOf: ({ path, status }) =>
      path.startsWith('/_') ? null : status >= 500 ? 'error' : status === 429 ? 'warn' : 'info',
    message: () => 'request',
    when: 'a request has been answered; `warn` with status 429, `error` from 500. Not logged for `/_health` and `/_ready`. The query is left out: it may hold addresses and one-time codes',
    histogram: {
      name: 'mangrove_request_duration_seconds',
      help: 'Time to answer a request.',
      labels: ({ method, status }) => ({ method: METHODS.has(method) ? method : 'other', status }),
      value: ({ ms }) => ms / 1000,
    },
  }),
  'request-failed': event(['id', 'err'], {
    level: 'error',
    message: () => 'failed',
    when: 'a request met a bug and was answered with 500',
  }),
  'connection-lost': event(['err'], {
    level: 'debug',
    message: () => 'connection lost',
    when: 'a caller hung up while an answer was being sent',
  }),
  'database-unavailable': event(['id', 'err'], {
    level: 'warn',
    message: () => 'the database is not available',
    when: 'a request was answered with 503 for it',
  }),
  'change-stream-reopened': event(['err'], {
    level: 'warn',
    message: () => 'a change stream ended and is being reopened',
    when: 'the stream of changes to an adopted collection broke off',
  }),
  'indexes-building': event(['indexes', 'collection', 'entries'], {
    level: 'info',
    message: ({ indexes, collection, entries }) =>
      `building ${indexes.join(', ')} over the ${entries} entries of ${collection}`,
    when: 'a start builds indexes over a large collection, which takes a while',
  }),
  'email-not-sent': event(['to', 'subject', 'text'], {
    level: 'info',
    message: () => 'no mail server is configured; this email was not sent',
    confidential: ['text'],
    when: 'an account asked for an email and `email.config.providerOptions` is not set. `text` may hold a code and is not logged in production',
  }),
  'images-not-resized': event([], {
    level: 'warn',
    message: () => 'sharp is not installed: images are stored without smaller formats',
    when: 'the first image is uploaded and the optional package `sharp` is missing',
  }),
  'job-failed': event(['job', 'err'], {
    level: 'error',
    message: ({ job }) => `the job ${job} failed`,
    when: 'a job of the project threw; it runs again when it is next due',
  }),
  'job-not-recorded': event(['job', 'err'], {
    level: 'warn',
    message: ({ job }) => `the end of the job ${job} could not be recorded`,
    when: 'the database did not take the outcome of a run; another process may run it again',
  }),
  'jobs-not-read': event(['err'], {
    level: 'warn',
    message: () => 'the jobs that are due could not be read; trying again',
    when: 'the database did not answer the schedule',
  }),
  'setting-unknown': event(['file', 'key'], {
    level: 'warn',
    message: ({ file, key }) => `${file}: unknown key ${key}`,
    when: 'a file of `config/` has a key that nothing reads',
  }),
  'setting-not-called': event(['file', 'key', 'instead'], {
    level: 'warn',
    message: ({ file, key, instead }) =>
      `${[file, key].filter((part) => part !== '').join(' › ')}: a function, which is not called; ${instead}`,
    when: 'a setting is a function',
  }),
  'config-file-unread': event(['file', 'guess'], {
    level: 'warn',
    message: ({ file, guess }) => `${file}: nothing reads this file${guess}`,
    when: '`config/` holds a file of an unknown name',
  }),
  'package-missing': event(['file', 'package'], {
    level: 'warn',
    message: ({ file, package: name }) =>
      `${file}: "${name}" is not installed; what the file takes from it counts as not set`,
    when: 'a config file imports a package that is not installed',
  }),
  'middleware-without-effect': event(['file', 'middleware', 'known'], {
    level: 'warn',
    message: ({ file, middleware, known }) =>
      `${file}: no effect of "${middleware}", which is not one of ${known.join(', ')}`,
    when: '`config/middlewares` names a middleware that Mangrove does not have',
  }),
  'plugin-missing': event(['file', 'plugin', 'meaning'], {
    level: 'warn',
    message: ({ file, plugin, meaning }) =>
      `${file}: Mangrove does not have the plugin "${plugin}"; ${meaning}`,
    when: '`config/plugins` names a plugin that Mangrove does not have',
  }),
  'plugin-always-on': event(['file', 'plugin'], {
    level: 'warn',
    message: ({ file, plugin }) =>
      `${file}: the plugin "${plugin}" cannot be switched off here; its routes need a grant`,
    when: '`config/plugins` disables a plugin that is built in',
  }),
  'upload-provider-missing': event(['file', 'provider'], {
    level: 'warn',
    message: ({ file, provider }) =>
      `${file}: Mangrove does not have the upload provider "${provider}"; new files are stored by "local" under public/uploads, and existing files keep their url`,
    when: '`config/plugins` names an upload provider that Mangrove does not have',
  }),
  'email-provider-missing': event(['file', 'provider'], {
    level: 'warn',
    message: ({ file, provider }) =>
      `${file}: Mangrove does not have the email provider "${provider}"; emails are written to the log until "nodemailer" is configured`,
    when: '`config/plugins` names an email provider that Mangrove does not have',
  }),
  'secret-short': event(['variable', 'characters', 'advised'], {
    level: 'warn',
    message: ({ variable, characters, advised }) =>
      `${variable} has ${characters} characters; ${advised} or more are advised`,
    when: 'a secret is shorter than HS256 asks for',
  }),
  'type-left-out': event(['file', 'uid'], {
    level: 'warn',
    message: ({ file, uid }) => `${file}: left out, as Mangrove does not have the type ${uid}`,
    when: '`src/extensions` extends a type of a plugin that Mangrove does not have',
  }),
  'attribute-left-out': event(['file', 'attribute', 'uid'], {
    level: 'warn',
    message: ({ file, attribute, uid }) =>
      `${file} › attributes.${attribute}: left out, as Mangrove does not have the type ${uid}`,
    when: 'a relation leads to a type of a plugin that Mangrove does not have',
  }),
  'custom-field-unknown': event(['file', 'attribute', 'uid'], {
    level: 'warn',
    message: ({ file, attribute, uid }) =>
      `${file} › attributes.${attribute}: what the custom field ${uid} stores is not known, so it is kept as JSON; name its type in config/api: customFields: { "${uid}": "string" }`,
    when: 'only a plugin knows what a custom field stores',
  }),
  'relation-one-way': event(['file', 'attribute', 'uid', 'otherSide'], {
    level: 'warn',
    message: ({ file, attribute, uid, otherSide }) =>
      `${file} › attributes.${attribute}: ${uid} has no attribute "${otherSide}", so the relation is one-way`,
    when: '`mappedBy` names an attribute that does not exist',
  }),
  'relation-two-owners': event(['file', 'attribute', 'uid', 'otherSide'], {
    level: 'warn',
    message: ({ file, attribute, uid, otherSide }) =>
      `${file} › attributes.${attribute}: both sides say "inversedBy", so each is a relation of its own; write "mappedBy" at ${uid}'s "${otherSide}" to join them`,
    when: 'both sides of a relation claim to own it',
  }),
  'type-name-refused': event(['file', 'uid'], {
    level: 'warn',
    message: ({ file, uid }) => `${file}: Strapi's editor refuses the name "${uid}"`,
    when: "a content type has a name that Strapi's content-type builder refuses, though its server takes it",
  }),
  'attribute-name-refused': event(['file', 'attribute'], {
    level: 'warn',
    message: ({ file, attribute }) => `${file} › attributes.${attribute}: Strapi's editor refuses this name`,
    when: 'the same of an attribute',
  }),
  'schema-key-unknown': event(['file', 'key', 'option', 'guess'], {
    level: 'warn',
    message: ({ file, key, option, guess }) =>
      `${file}${key === '' ? '' : ` › ${key}`}: "${option}" is not a key of ${key === '' ? 'a schema' : key}${guess}`,
    when: 'a schema file has a key that means nothing',
  }),
  'attribute-option-unknown': event(['file', 'attribute', 'option', 'type', 'guess'], {
    level: 'warn',
    message: ({ file, attribute, option, type, guess }) =>
      `${file} › attributes.${attribute}: "${option}" is not an option of type ${type}${guess}`,
    when: 'an attribute has an option that its type does not know',
  }),
  'action-unknown': event(['role', 'action', 'guess'], {
    level: 'warn',
    message: ({ role, action, guess }) =>
      `config/roles › ${role}: no route asks for the action ${action}${guess}`,
    when: '`config/roles` grants an action that opens nothing',
  }),
  'code-unreadable': event(['file', 'reason'], {
    level: 'warn',
    message: ({ file, reason }) => `${file}: cannot be read (${reason})`,
    when: "a file of a Strapi project's code cannot be parsed",
  }),
  'code-not-run': event(['file', 'kind', 'does'], {
    level: 'warn',
    message: ({ file, kind, does }) => `${file} (${kind}) is not run: it ${does}`,
    when: 'a Strapi project has code of its own, which is read and not run',
  }),
  'routes-closed': event(['routes', 'reason'], {
    level: 'warn',
    message: ({ routes, reason }) => `closed (403): ${routes.join(', ')}, as ${reason}`,
    when: 'routes stay closed because such code decides who may use them',
  }),
  'routes-can-be-opened': event(['names'], {
    level: 'warn',
    message: ({ names }) =>
      `to serve what is closed without that code: --ignore-code, or --ignore-code with some of: ${names.join(' ')}; code.ignore in config/api keeps it`,
    when: 'routes are closed',
  }),
  ...FOUND,
};

export type EventName = keyof typeof ROWS;

type FieldsOf<N extends EventName> = (typeof ROWS)[N] extends EventRow<infer F> ? F : never;

/** One event with its fields: a union, told apart by `name`. */
export type AppEvent<N extends EventName = EventName> = {
  [P in N]: { readonly name: P } & FieldsOf<P>;
}[N];

export type RecordEvent = (event: AppEvent) => void;

export const EVENTS: { readonly [N in EventName]: EventRow<FieldsOf<N>> } = ROWS;

/** The row of an event, as one that takes this event's fields. */
export const rowOf = <N extends EventName>(event: AppEvent<N>): EventRow<AppEvent<N>> => EVENTS[event.name];

/** What a person reads. */
export const messageOf = (event: AppEvent): string => rowOf(event).message(event);

/** Null: not logged. */
export const levelOf = (event: AppEvent): Level | null => {
  const { level, levelOf: judge } = rowOf(event);
  return judge ? judge(event) : level;
};

/** What `mangrove doctor` says of an event. */
export const findingOf = (found: AppEvent): { about: string; text: string; advice: string | null } => {
  const { finding } = rowOf(found);
  if (!finding) return { about: found.name, text: messageOf(found), advice: null };
  return { about: finding.about(found), text: finding.text(found), advice: finding.advice(found) };
};
