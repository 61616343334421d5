import { walkItems } from '../../documents/plan/items.js';
import { contentTypeOf, modelOf } from '../../schema/find.js';
import type { ContentType, Model, Schema } from '../../schema/types.js';
import { FILE_UID, ROLE_UID, USER_UID } from '../../schema/uids.js';
import type { Staged } from '../../store/transfer/staging.js';
import { addTo } from '../../values/group.js';
import type { Import } from '../run/context.js';
import { type GrantRow, keyOf, type LinkRow, type PairRow, type Row } from '../run/rows.js';
import { COMPONENTS, entryTally, Problems, reached } from '../run/state.js';
import { wantsType } from '../source/selection.js';
import { lost, type SourceEntry, type SourceLink, type SourceRecord } from '../source/types.js';

const BATCH = 1000;

/** Attributes whose value names one entry for good, by uid. */
const NAMES: Readonly<Record<string, string>> = { [ROLE_UID]: 'type', [USER_UID]: 'username' };

/** Reads all records once and keeps what joins them: rows without their values, links, siblings, grants. */
export async function stage(run: Import): Promise<void> {
  const { source, staging, state } = run;
  await staging.index('links', 'from');
  await staging.index('rows', 'n');
  await staging.index('grants', 'role');
  const problems = new Problems(staging, state);
  const batch = new Map<string, Staged[]>();
  const add = (name: string, document: Staged): void => addTo(batch, name, document);
  let number = 0;
  let inBatch = 0;
  const flush = async (): Promise<void> => {
    for (const [name, documents] of batch) await staging.add(name, documents);
    batch.clear();
    await problems.flush();
    state.at = number;
    inBatch = 0;
    await run.saved();
  };
  const done = state.at;
  for await (const record of source.records()) {
    number += 1;
    if (number <= done) continue;
    stageRecord(run, record, number, { add, problems });
    inBatch += 1;
    if (inBatch >= BATCH) await flush();
  }
  await flush();
}

interface Sink {
  readonly problems: Problems;
  add(name: string, document: Staged): void;
}

type Take<K extends SourceRecord['kind']> = (
  run: Import,
  record: Extract<SourceRecord, { kind: K }>,
  number: number,
  sink: Sink,
) => void;

const TAKE: { readonly [K in SourceRecord['kind']]: Take<K> } = {
  entry: (run, { entry }, number, sink) => stageEntry(run, entry, number, sink),
  link: (run, { link }, number, sink) => stageLink(run, link, number, sink),
  siblings({ selection }, { pair: { uid, refs } }, number, sink) {
    const [a, b] = refs;
    const pair: PairRow = { _id: number, keys: [keyOf({ uid, ref: a }), keyOf({ uid, ref: b })] };
    if (wantsType(selection, uid)) sink.add('pairs', pair);
  },
  grant({ selection, state }, { grant: { role, action } }, _, sink) {
    if (!wantsType(selection, ROLE_UID)) return;
    count(state, 'grants');
    const grant: GrantRow = { _id: `${role} ${action}`, role, action };
    sink.add('grants', grant);
  },
  locale({ selection, state }, { locale }, _, sink) {
    if (!selection.parts.includes('config') && !selection.parts.includes('content')) return;
    count(state, 'locales');
    sink.add('locales', { _id: locale.code, ...locale } as Staged);
  },
  defaultLocale({ state }, { code }) {
    state.defaultLocale = code;
  },
  token({ selection, state }, { token }, _, sink) {
    if (!selection.parts.includes('config')) return;
    count(state, 'tokens');
    sink.add('tokens', { _id: token.name, ...token } as Staged);
  },
  problem({ selection, state }, { problem }, _, { problems }) {
    if (problem.what === 'line') count(state, 'damaged lines');
    if (problem.what !== 'setting' || selection.parts.includes('config')) problems.add(problem);
  },
};

const count = ({ tally }: Import['state'], name: string): void => {
  tally.others[name] = (tally.others[name] ?? 0) + 1;
};

const stageRecord = <K extends SourceRecord['kind']>(
  run: Import,
  record: Extract<SourceRecord, { kind: K }>,
  number: number,
  sink: Sink,
): void => (TAKE[record.kind as K] as Take<K>)(run, record, number, sink);

function stageEntry(
  { schema, selection, state }: Import,
  entry: SourceEntry,
  n: number,
  { add, problems }: Sink,
): void {
  const { uid, ref } = entry;
  if (!wantsType(selection, uid)) return;
  const tally = entryTally(state, uid);
  tally.read += 1;
  const type = contentTypeOf(schema, uid);
  if (!type) {
    tally.leftOut += 1;
    problems.add(lost('entry', keyOf({ uid, ref }), `there is no content type ${uid}`));
    return;
  }
  if (entry.id !== null) reached(state, uid, entry.id);
  reachItems(schema, type, entry.data, (id) => {
    count(state, 'components');
    if (id !== null) reached(state, COMPONENTS, id);
  });
  const name = NAMES[uid] === undefined ? undefined : entry.data[NAMES[uid]];
  const row: Row = {
    _id: keyOf(entry),
    n,
    documentId: entry.documentId,
    locale: entry.locale,
    versions: entry.versions,
    ...(typeof name === 'string' && { name }),
  };
  add('rows', row);
}

/** The numbers of all component items, at any depth. */
function reachItems(
  schema: Schema,
  model: Model,
  data: Readonly<Record<string, unknown>>,
  tell: (id: number | null) => void,
): void {
  for (const { item, model: inner } of walkItems(schema, model, data)) {
    tell(typeof item['id'] === 'number' ? item['id'] : null);
    reachItems(schema, inner, item, tell);
  }
}

function stageLink(run: Import, link: SourceLink, n: number, { add, problems }: Sink): void {
  const { schema, selection, state } = run;
  const holder = contentTypeOf(schema, link.from.uid);
  if (holder ? !wantsType(selection, holder.uid) : !selection.parts.includes('content')) return;
  state.tally.links.read += 1;
  const turned = wantsType(selection, link.to.uid)
    ? owned(schema, link)
    : `${link.to.uid} is not among what was asked for`;
  if (typeof turned === 'string') {
    state.tally.links.leftOut += 1;
    problems.add(lost('link', atLink(link), turned));
    return;
  }
  const { from, to, field, position, inversePosition, standIn } = turned;
  const row: LinkRow = {
    _id: n,
    from: keyOf(from),
    field,
    to: keyOf(to),
    position,
    inversePosition,
    ...(standIn && { standIn }),
  };
  if (inversePosition !== null) reached(state, from.uid, inversePosition);
  add('links', row);
}

export const atLink = ({ from, field, to }: Pick<SourceLink, 'from' | 'field' | 'to'>): string =>
  `${keyOf(from)} ${field} → ${keyOf(to)}`;

/** The link as its owning attribute has it; a string says why it has none. */
function owned(schema: Schema, link: SourceLink): SourceLink | string {
  const model = modelOf(schema, link.from.uid);
  if (!model) return `there is no model ${link.from.uid}`;
  const attribute = model.attributes.get(link.field);
  if (!attribute || attribute.system) return `${model.uid} has no attribute ${link.field}`;
  const target = contentTypeOf(schema, link.to.uid);
  if (!target) return `there is no content type ${link.to.uid}`;
  if (attribute.kind === 'media')
    return target.uid === FILE_UID ? link : `${link.field} holds files, not ${target.uid}`;
  if (attribute.kind !== 'relation') return `${link.field} is not a relation`;
  if (attribute.target !== null && attribute.target !== target.uid)
    return `${link.field} refers to ${attribute.target}, not ${target.uid}`;
  if (attribute.owner) return link;
  return turn(target, attribute.mappedBy ?? attribute.morphBy, link);
}

function turn(target: ContentType, field: string | null, link: SourceLink): SourceLink | string {
  const owner = field === null ? undefined : target.attributes.get(field);
  if (field === null || owner?.kind !== 'relation' || !owner.owner) return `${link.field} is stored nowhere`;
  return {
    from: link.to,
    field,
    to: link.from,
    position: link.inversePosition,
    inversePosition: link.position,
    ...(link.standIn && { standIn: link.standIn }),
  };
}
