/** The tools that write. Each supports a dry run, which completes all steps without storing anything. */
import {
  arrayOf,
  booleanSchema,
  objectSchema,
  openObjectOf,
  stringSchema,
} from '../describe/contract/json-schema.js';
import type { VersionChange } from '../documents/request.js';
import type { ContentType, Status } from '../schema/types.js';
import type { KnownType } from './catalogue.js';
import { newDryRun } from './dry-run.js';
import { DRY_RUN, documentInput, localeInput, SHOWING, statusInput, typeInput } from './inputs.js';
import { queryArguments } from './reading.js';
import { can, documentIn, reply, say, send, type Tool, typeIn, type Using } from './tool.js';
import type { ActionCall, Arguments, ServiceOf, ToolAnswer } from './types.js';

const OUTPUT = openObjectOf(
  {
    data: { type: ['object', 'null'] },
    meta: objectSchema,
    dryRun: booleanSchema,
    changes: arrayOf(objectSchema),
    note: stringSchema,
  },
  [],
);

/** Sends a write, or performs a dry run of it. */
async function write(
  call: Omit<ActionCall, 'service'>,
  { args, using, through }: Writing,
): Promise<ToolAnswer> {
  const { parts, user } = using;
  if (args['dryRun'] !== true) {
    const own: ServiceOf = async ({ uid }, request) => parts.documents(uid).forRequest(request);
    return reply(await send({ ...call, ...(through && { service: through(own) }) }, using));
  }
  const dry = newDryRun(parts, user);
  const service = through ? through(dry.service) : dry.service;
  const answer = await send({ ...call, service }, using);
  return answer.status >= 400 ? reply(answer) : say(await dry.report());
}

interface Writing {
  readonly args: Arguments;
  readonly using: Using;
  /** Wraps the service that handles the route. */
  readonly through?: (service: ServiceOf) => ServiceOf;
}

/** Drafts by default: publishing must be requested explicitly. */
const statusOf = ({ status = 'draft' }: Arguments, { draftAndPublish }: ContentType) =>
  draftAndPublish ? { status } : {};

const SHOWN = ['fields', 'populate', 'locale'];

const inDraft = 'By default only the draft is written, which may be incomplete; publish makes it public. ';

const DATA = {
  data: {
    ...objectSchema,
    description:
      'Values by attribute, as given by describe_type. Relations take documentIds, or {"connect": […], "disconnect": […]}, or {"set": […]}',
  },
};

const STATUS = 'draft: writes only the draft. published: writes and publishes it';
const LOCALE = 'The locale to write; the default locale if absent';

const REPLACES = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const;

interface DataTool extends Pick<Tool, 'title' | 'description' | 'annotations'> {
  readonly action: 'create' | 'update';
  /** Whether the arguments include a documentId. */
  readonly names: boolean;
}

/** A tool that writes `data`. */
const dataTool = ({ action, names, ...tool }: DataTool): Tool => ({
  ...tool,
  name: action,
  isFor: can(action),
  takes: ['type', ...(names ? ['documentId'] : []), 'data', 'status', 'dryRun', ...SHOWN],
  input: (types) => ({
    ...typeInput(types),
    ...(names && documentInput(types)),
    ...DATA,
    ...statusInput(types, 'draft', STATUS),
    ...localeInput(types, LOCALE),
    ...SHOWING,
    ...DRY_RUN,
  }),
  required: ['type', 'data'],
  output: OUTPUT,
  async run(args, using) {
    const type = typeIn(args, using);
    const addressed = { type, action, ...(names && { documentId: documentIn(args, type) }) };
    const query = { ...queryArguments(args, SHOWN), ...statusOf(args, type) };
    return write({ ...addressed, query, data: args['data'] }, { args, using });
  },
});

const create = dataTool({
  title: 'Create an entry',
  description: `Creates a document of a content type. ${inDraft}Content types without drafts are public at once.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  action: 'create',
  names: false,
});

const update = dataTool({
  title: 'Change an entry',
  description: `Changes the attributes given in data and keeps the others. ${inDraft}Lists of components are replaced as a whole; an item keeps its other attributes if its id is given.`,
  annotations: REPLACES,
  action: 'update',
  names: true,
});

interface VersionTool extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations'> {
  readonly change: VersionChange;
  /** The version that the answer shows. */
  readonly shows: Status;
}

/** Uses the route of updates, so it requires the same grant. */
const versionTool = ({ change, shows, ...tool }: VersionTool): Tool => ({
  ...tool,
  isFor: (known: KnownType) => known.type.draftAndPublish && can('update')(known),
  takes: ['type', 'documentId', 'dryRun', ...SHOWN],
  input: (types) => ({
    ...typeInput(types),
    ...documentInput(types),
    ...localeInput(types, 'The locale; the default one if absent'),
    ...SHOWING,
    ...DRY_RUN,
  }),
  required: ['type'],
  output: OUTPUT,
  async run(args, using) {
    const type = typeIn(args, using);
    const documentId = documentIn(args, type);
    const query = { ...queryArguments(args, SHOWN), status: shows };
    const through =
      (serviceOf: ServiceOf): ServiceOf =>
      async (of, request) => {
        const service = await serviceOf(of, request);
        return {
          ...service,
          update: (id) => service.changeVersion(change, id),
          updateSingle: () => service.changeVersion(change, null),
        };
      };
    return write({ type, action: 'update', documentId, query, data: {} }, { args, using, through });
  },
});

const publish = versionTool({
  name: 'publish',
  title: 'Publish a draft',
  description:
    'Publishes the draft of a document, replacing the version published before. The draft must be complete.',
  annotations: REPLACES,
  change: 'publish',
  shows: 'published',
});

const unpublish = versionTool({
  name: 'unpublish',
  title: 'Unpublish an entry',
  description: 'Removes the published version of a document; its draft stays as it is.',
  annotations: REPLACES,
  change: 'unpublish',
  shows: 'draft',
});

const discard = versionTool({
  name: 'discard_draft',
  title: 'Discard the changes of a draft',
  description: 'Resets the draft of a document to its published version; unpublished changes are lost.',
  annotations: REPLACES,
  change: 'discardDraft',
  shows: 'draft',
});

const remove: Tool = {
  name: 'delete',
  title: 'Delete a document',
  description: 'Deletes a document, both its draft and its published version, in one locale or in all.',
  annotations: REPLACES,
  isFor: can('delete'),
  takes: ['type', 'documentId', 'locale', 'dryRun'],
  input: (types) => ({
    ...typeInput(types),
    ...documentInput(types),
    ...localeInput(types, 'The locale to delete, or "*" for all; the default locale if absent'),
    ...DRY_RUN,
  }),
  required: ['type'],
  output: OUTPUT,
  async run(args, using) {
    const type = typeIn(args, using);
    const documentId = documentIn(args, type);
    const query = queryArguments(args, ['locale']);
    return write({ type, action: 'delete', documentId, query }, { args, using });
  },
};

export const WRITING: readonly Tool[] = [create, update, publish, unpublish, discard, remove];
