import { isScalarType } from '../schema/scalars/index.js';
import { inBoth } from '../values/side-by-side.js';
import { fitsAsIs } from './convert.js';
import {
  holdersOf,
  type ShapeAttribute,
  type ShapeModel,
  type ShapeType,
  type StoredShape,
} from './shape.js';
import type { MigrationStep } from './types.js';

/** A schema change that requires stored content to be changed. */
export interface Difference {
  /** The change, for people. */
  readonly says: string;
  /** The steps for the content, as far as they can be derived. */
  readonly steps: readonly MigrationStep[];
  /** What the author of the migration must decide; null if nothing. */
  readonly decide: string | null;
  /** The content types whose entries are affected. */
  readonly types: readonly string[];
  /** The attribute whose values are affected; null: every entry is affected. */
  readonly attribute: string | null;
}

/** All differences between the applied schema and the schema files that require a migration. */
export function differencesOf(
  applied: StoredShape,
  current: StoredShape,
  defaultLocale: string,
): readonly Difference[] {
  const types = inBoth(applied.types, current.types);
  const components = inBoth(applied.components, current.components);
  return [
    ...types.flatMap(([uid, old, now]) => [
      ...typeDifferences(uid, old, now, defaultLocale),
      ...attributeDifferences(applied, uid, old, now),
    ]),
    ...types.flatMap(([uid, old, now]) =>
      old.localized && now.localized ? sharedDifferences(uid, old, now, defaultLocale) : [],
    ),
    ...components.flatMap(([uid, old, now]) => attributeDifferences(applied, uid, old, now)),
  ];
}

const differenceOf =
  (types: readonly string[], attribute: string | null) =>
  (says: string, step: MigrationStep, decide: string | null = null): Difference => ({
    says,
    steps: [step],
    decide,
    types,
    attribute,
  });

function typeDifferences(uid: string, old: ShapeType, now: ShapeType, locale: string): readonly Difference[] {
  const of = differenceOf([uid], null);
  const found: Difference[] = [];
  if (old.collection !== now.collection)
    found.push(
      of(`${uid}: its collection was ${old.collection} and is now ${now.collection}`, {
        renameCollection: uid,
        to: now.collection,
      }),
    );
  if (!old.draftAndPublish && now.draftAndPublish)
    found.push(of(`${uid}: Draft & Publish was enabled`, { addDrafts: uid }));
  if (old.draftAndPublish && !now.draftAndPublish)
    found.push(
      of(
        `${uid}: Draft & Publish was disabled`,
        { removeDrafts: uid, unpublished: 'publish' },
        'for documents that were never published: "publish" publishes them, "leave" leaves them in the backup collection',
      ),
    );
  if (!old.localized && now.localized)
    found.push(of(`${uid}: it is now localized`, { localize: uid, locale }));
  if (old.localized && !now.localized)
    found.push(
      of(
        `${uid}: it is no longer localized`,
        { unlocalize: uid, keep: locale },
        'entries in other locales stop the migration; dropOthers: true deletes them',
      ),
    );
  return found;
}

const sharedDifferences = (
  uid: string,
  old: ShapeType,
  now: ShapeType,
  keep: string,
): readonly Difference[] =>
  inBoth(old.attributes, now.attributes).flatMap(([name, before, attribute]) =>
    before.localized && !attribute.localized
      ? [
          differenceOf([uid], name)(`${uid}.${name}: it is now shared by all locales`, {
            shareAttribute: name,
            of: uid,
            keep,
          }),
        ]
      : [],
  );

const signature = ({ type, many, component, target }: ShapeAttribute): string =>
  [type, many ?? false, component ?? '', target ?? ''].join(' ');

/** The attributes that were removed and added, where one may be the other renamed. */
function attributeDifferences(
  applied: StoredShape,
  uid: string,
  { attributes: old }: ShapeModel,
  { attributes: now, inverses = [] }: ShapeModel,
): readonly Difference[] {
  const types = holdersOf(applied, uid);
  /** Values inside components are not searched individually. */
  const inEntry = (name: string): string | null => (applied.types[uid] ? name : null);
  const added = Object.keys(now).filter((name) => !old[name]);
  const turned = inverses.filter((name) => old[name]?.type === 'relation' && !old[name]?.gone);
  const removed = Object.keys(old).filter((name) => !now[name] && !old[name]?.gone && !turned.includes(name));
  const changes = inBoth(old, now).flatMap(([name, before, attribute]) => {
    const change = changeOf(uid, name, before, attribute);
    return change ? [differenceOf(types, inEntry(name))(...change)] : [];
  });
  const renames = removed.flatMap((name) => {
    const before = old[name];
    const to = before && added.find((other) => signature(now[other] ?? before) === signature(before));
    if (to === undefined) return [];
    added.splice(added.indexOf(to), 1);
    return [
      differenceOf(types, inEntry(name))(
        `${uid}.${name}: it was removed, and ${to} of the same type was added`,
        { renameAttribute: name, of: uid, to },
        `if ${name} was not renamed to ${to}: { accept: '${name}', of: '${uid}' } keeps its values hidden, { removeAttribute: '${name}', of: '${uid}' } deletes them`,
      ),
    ];
  });
  const turns = turned.map((name) =>
    differenceOf(types, inEntry(name))(
      `${uid}.${name}: its links were stored here and are now stored on the other side of the relation`,
      { accept: name, of: uid },
      `before this step, read ${name} of the entries and write it on the other side with a step { documents: '${old[name]?.target ?? uid}', change: (entry) => … }; otherwise its links are lost`,
    ),
  );
  return [...renames, ...turns, ...changes];
}

type Change = readonly [says: string, step: MigrationStep, decide?: string];

function changeOf(uid: string, name: string, old: ShapeAttribute, now: ShapeAttribute): Change | null {
  const place = `${uid}.${name}`;
  if (isScalarType(old.type) && isScalarType(now.type)) {
    if (fitsAsIs(old.type, now.type)) return null;
    return [
      `${place}: its type was ${old.type} and is now ${now.type}`,
      { changeType: name, of: uid, to: now.type },
      'convert: (value, item) => … if values need another conversion, back: (value) => … for migrate down',
    ];
  }
  const same = { ...old, many: now.many } as ShapeAttribute;
  if (old.type === now.type && signature(same) === signature(now)) {
    if (Boolean(old.many) === Boolean(now.many)) return null;
    if (now.many) return [`${place}: it is now a list`, { toList: name, of: uid }];
    const keep = "keep: 'first' keeps the first of several";
    return [`${place}: it is now a single value`, { toSingle: name, of: uid }, keep];
  }
  return [
    `${place}: it was ${signature(old).trim()} and is now ${signature(now).trim()}`,
    { accept: name, of: uid },
    'before this step, change the stored values with a step { documents: uid, change: (entry) => … }',
  ];
}
