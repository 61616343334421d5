import { InvalidArgumentError, Option } from 'commander';
import type { Project } from '../../project.js';
import {
  countDeliveries,
  type DeliveryFilter,
  type DeliveryState,
  dropDeliveries,
  listDeliveries,
  replayDeliveries,
} from '../../store/webhooks/deliveries.js';
import {
  insertEndpoint,
  removeEndpoint,
  setDisabled,
  setSecrets,
  storedEndpoints,
} from '../../store/webhooks/endpoints.js';
import { table } from '../../terminal/output.js';
import {
  allowing,
  beginQueue,
  type Endpoint,
  endpointProblems,
  endpointsOf,
  literalAddress,
  newSecret,
  projectionProblems,
  readEndpoints,
  testEndpoint,
} from '../../webhooks/index.js';
import { integer } from '../arguments.js';
import { type CommandLine, command, refused } from '../command.js';
import { withProject } from '../with-project.js';

async function find(project: Project, name: string): Promise<Endpoint> {
  const found = (await readEndpoints(project)).find((endpoint) => endpoint.name === name);
  if (!found) throw refused(`There is no webhook ${name}; mangrove webhook list shows them`);
  return found;
}

/** `Name: value` */
const header = (text: string, known: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('expected "Name: value"');
  return { ...known, [name]: value };
};

/** JSON, or names and `*` as in a query. */
const populate = (text: string): unknown => {
  if (!/^[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('not JSON');
  }
};

interface AddOptions {
  readonly events?: string[];
  readonly types?: string[];
  readonly locales?: string[];
  readonly status?: string;
  readonly indirect?: boolean;
  readonly populate?: unknown;
  readonly fields?: string[];
  readonly header?: Record<string, string>;
  readonly dryRun?: boolean;
}

const add = command({
  name: 'add <name> <url>',
  does: 'send changes to a URL, and print the secret that signs them, which is not shown again',
  options: [
    ['--events <event...>', 'such as entry.publish media.create; all of Strapi if absent'],
    ['--types <uid...>', 'only these content types'],
    ['--locales <code...>', 'only these locales, and types without'],
    new Option('--status <status>', 'only what concerns this version').choices(['draft', 'published']),
    ['--indirect', 'also entries that a write to another entry changed'],
    new Option('--populate <populate>', 'what is sent of relations, as in a query or as JSON').argParser(
      populate,
    ),
    ['--fields <name...>', 'which fields are sent'],
    new Option('--header <header...>', 'a header of each delivery: "Name: value"').argParser(header),
    ['--dry-run', 'check the options, without adding the webhook'],
  ],
  help: `
Running servers deliver within five seconds from now on. Endpoints that are part of the project are better defined in config/webhooks.

Examples:
  $ mangrove webhook add site https://example.org/api/revalidate --events entry.publish entry.unpublish
  $ mangrove webhook add search https://search.example.org/hook --types api::article.article --status published --populate author`,
  async run(call: CommandLine<AddOptions>, name: string, url: string) {
    const { dryRun = false, header: headers, ...options } = call.options;
    const definition = { url, ...options, ...(headers && { headers }) };
    return withProject(call, async (project) => {
      const { config, schema, store } = project;
      if (Object.hasOwn(config.webhooks.endpoints, name)) throw refused(`config/webhooks defines ${name}`);
      const problems = [...endpointProblems(name, definition, schema)];
      const [endpoint] = endpointsOf({ [name]: definition }, []);
      if (problems.length === 0 && endpoint) problems.push(...projectionProblems(project, endpoint));
      if (problems.length > 0) throw refused(problems.join('\n'));
      const address = literalAddress(new URL(url).hostname);
      if (address !== null && !allowing(config.webhooks.allowPrivate)(address, address))
        throw refused(`${address} is a private address; webhooks.allowPrivate in config/server allows it`);
      const stored = await storedEndpoints(store.db);
      const isTaken = stored.some((one) => one._id === name && one.definition);
      if (isTaken) throw refused(`There is a webhook ${name} already`);
      if (dryRun)
        return { data: { name, ...definition, dryRun }, notes: [`Webhook ${name} would be added.`] };
      const secret = newSecret();
      await beginQueue(store);
      const isNew = await insertEndpoint(store.db, {
        _id: name,
        definition,
        secrets: [{ secret, until: null }],
      });
      if (!isNew) throw refused(`There is a webhook ${name} already`);
      return {
        data: { name, ...definition, secret },
        notes: [`Webhook ${name} sends to ${url}. The secret will not be shown again:`],
        text: secret,
      };
    });
  },
});

const shown = ({ secrets, headers, ...endpoint }: Endpoint) => ({
  ...endpoint,
  headers: Object.keys(headers),
  secrets: secrets.length,
});

const list = command({
  name: 'list',
  does: 'list the webhooks: where they send to, and which changes; without secrets and values of headers',
  async run(call) {
    return withProject(call, async (project) => {
      const data = [];
      for (const endpoint of await readEndpoints(project))
        data.push({
          ...shown(endpoint),
          pending: await countDeliveries(project.store.db, { endpoint: endpoint.name, state: 'pending' }),
        });
      const rows = data.map((one) => [
        one.name,
        one.url,
        one.disabled === null ? 'on' : `off: ${one.disabled}`,
        String(one.pending),
        one.events.join(' '),
        one.types?.join(' ') ?? '',
      ]);
      return { data, text: table(['name', 'url', 'state', 'pending', 'events', 'types'], rows) };
    });
  },
});

const test = command({
  name: 'test <name>',
  does: 'send an event that is about nothing (trigger-test), and print what came of it',
  async run(call, name: string) {
    const tested = await withProject(call, async (project) =>
      testEndpoint(await find(project, name), project.config),
    );
    const { status, ms, error } = tested;
    const isFine = status !== null && status >= 200 && status < 300;
    return {
      data: { ok: isFine, name, ...tested },
      text: `${error ?? `status ${status}`} after ${ms} ms`,
      failed: !isFine,
    };
  },
});

const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed'];

interface ListOptions {
  readonly state?: DeliveryState;
  readonly limit: number;
}

const deliveries = command({
  name: 'deliveries [name]',
  does: 'list the latest deliveries, of one webhook or of all, with their last status and duration',
  options: [
    new Option('--state <state>', 'only these').choices(STATES),
    new Option('--limit <number>', 'how many').argParser(integer(1, Number.MAX_SAFE_INTEGER)).default(50),
  ],
  async run(call: CommandLine<ListOptions>, name?: string) {
    const { state, limit } = call.options;
    const filter = { ...(name !== undefined && { endpoint: name }), ...(state && { state }) };
    const data = await withProject(call, async (project) => {
      if (name !== undefined) await find(project, name);
      return listDeliveries(project.store.db, filter, limit);
    });
    const rows = data.map(({ _id, state, event, document, attempts, changedAt, last }) => [
      _id,
      changedAt.toISOString(),
      event,
      document,
      state,
      String(attempts),
      last ? (last.error ?? String(last.status)) : '',
      last ? `${last.ms} ms` : '',
    ]);
    const heading = ['delivery', 'changed', 'event', 'document', 'state', 'attempts', 'status', 'took'];
    return { data: data.map(({ _id, n: _, ...one }) => ({ id: _id, ...one })), text: table(heading, rows) };
  },
});

/** Milliseconds for which a repeated delivery is tried. */
const DAY = 24 * 3_600_000;

interface ReplayOptions {
  readonly endpoint?: string;
  readonly state?: DeliveryState;
  readonly dryRun?: boolean;
}

const replay = command({
  name: 'replay [deliveries...]',
  does: 'deliver again what has ended: deliveries by id, or all of a webhook, with the same webhook-id and body',
  options: [
    ['--endpoint <name>', 'those of this webhook'],
    new Option('--state <state>', 'only these').choices(['delivered', 'failed']),
    ['--dry-run', 'count them, without delivering'],
  ],
  help: `
Examples:
  $ mangrove webhook replay 65f0c0a1e4b0c2a9d8e7f601/site
  $ mangrove webhook replay --endpoint site --state failed`,
  async run(call: CommandLine<ReplayOptions>, ids: readonly string[]) {
    const { endpoint, state, dryRun = false } = call.options;
    if (ids.length === 0 && endpoint === undefined) throw refused('Name deliveries, or --endpoint');
    const filter: DeliveryFilter = {
      ...(ids.length > 0 && { ids }),
      ...(endpoint !== undefined && { endpoint }),
      ...(state && { state }),
    };
    const count = await withProject(call, async (project) => {
      if (endpoint !== undefined) await find(project, endpoint);
      const { db } = project.store;
      if (!dryRun) return replayDeliveries(db, filter, new Date(Date.now() + DAY));
      return (
        (await countDeliveries(db, filter)) - (await countDeliveries(db, { ...filter, state: 'pending' }))
      );
    });
    if (count === 0 && ids.length > 0) throw refused('No such delivery has ended');
    const says = dryRun ? 'would be delivered again' : 'are delivered again by the running servers';
    return { data: { count, ...(dryRun && { dryRun }) }, notes: [`${count} deliveries ${says}.`] };
  },
});

const remove = command({
  name: 'remove <name>',
  does: 'remove a webhook and its deliveries',
  options: [['--dry-run', 'check that the webhook exists, without removing it']],
  async run(call: CommandLine<{ readonly dryRun?: boolean }>, name: string) {
    const { dryRun = false } = call.options;
    await withProject(call, async (project) => {
      const { configured } = await find(project, name);
      if (configured) throw refused(`config/webhooks defines ${name}: remove it there`);
      if (dryRun) return;
      await removeEndpoint(project.store.db, name);
      await dropDeliveries(project.store.db, name);
    });
    const says = dryRun ? 'would be removed' : 'is removed; running servers stop within five seconds';
    return { data: { ok: true, name, ...(dryRun && { dryRun }) }, notes: [`Webhook ${name} ${says}.`] };
  },
});

const enable = command({
  name: 'enable <name>',
  does: 'deliver again to a webhook that was disabled, because its receiver answered 410',
  async run(call, name: string) {
    await withProject(call, async (project) => {
      await find(project, name);
      await setDisabled(project.store.db, name, null);
    });
    return { data: { ok: true, name }, notes: [`Webhook ${name} gets changes from now on.`] };
  },
});

/** Milliseconds for which an earlier secret still signs. */
const OVERLAP = DAY;

const rotate = command({
  name: 'rotate <name>',
  does: 'sign with a new secret, which is printed; for a day with the earlier ones as well',
  async run(call, name: string) {
    const secret = newSecret();
    await withProject(call, async (project) => {
      if ((await find(project, name)).configured)
        throw refused(`config/webhooks defines ${name}: list the new and the earlier secret there`);
      const { db } = project.store;
      const known = (await storedEndpoints(db)).find(({ _id }) => _id === name)?.secrets ?? [];
      const until = new Date(Date.now() + OVERLAP);
      const earlier = known
        .filter((one) => one.until === null || one.until > new Date())
        .map((one) => ({ ...one, until: one.until ?? until }));
      await setSecrets(db, name, [{ secret, until: null }, ...earlier]);
    });
    return {
      data: { name, secret },
      notes: [`Webhook ${name} has a new secret, which will not be shown again:`],
      text: secret,
    };
  },
});

/** `mangrove webhook add|list|test|deliveries|replay|remove|enable|rotate` */
export const webhook = command({
  name: 'webhook',
  does: 'manage webhooks: where changes of content are sent to, and what became of them',
  commands: [add, list, test, deliveries, replay, remove, enable, rotate],
});
