/**
 * Populate as `$lookup` (docs/decisions/001), one for each path and target. By row: with nested lookups
 * inside its pipeline. In sets: the page becomes one document, and each path is looked up once for all rows
 * of its parent list.
 */
import type { RelationTarget } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import { rowsThat, visibleStages } from '../filters/match.js';
import { referencesIn } from '../relations/item-expressions.js';
import { computedKeys } from '../relations/local-keys.js';
import type { Scope } from '../relations/scope.js';
import { ALWAYS, allMatch } from '../rows/combine.js';
import { localeMatch, parentRule } from '../rows/locale.js';
import { inForms } from '../rows/other-forms.js';
import { type JoinFields, joinFieldsOf } from '../rows/place.js';
import { rowStages } from '../rows/rows.js';
import { sortStages } from '../sorts/order.js';
import { PLACE, placeStages } from '../sources/merge.js';
import { publicationStages } from '../sources/publication.js';
import { hasSeveralSources } from '../sources/sources-of.js';
import { prefixOf } from '../step.js';
import type { Expression, Match, SetJoin, Stage } from '../types.js';
import { PAGE } from './assemble.js';
import { foreignReader, isReferring, localFieldPath, localKeysOf, localReader, morphKeys } from './keys.js';
import { plainLookup } from './plain-lookup.js';
import { type PopulateField, populateFieldsOf, sorted } from './populate-fields.js';
import { countsInDatabase, isInSets, type Level, type Path, projectStage } from './project.js';

/** A lookup for all rows of a list, and how the result is joined to them. */
interface SetLookup {
  readonly stages: readonly Stage[];
  readonly join: SetJoin;
}

interface Selected {
  /** For each row: its lookups, and the final projection. */
  readonly stages: readonly Stage[];
  /** Lookups in sets, parents first. */
  readonly sets: readonly SetLookup[];
}

/** The last stages of the page: lookups and projections. */
export function pageSelection(
  level: Omit<Level, 'list'>,
  inSets: boolean,
  scope: Scope,
): { readonly stages: readonly Stage[]; readonly setJoins: readonly SetJoin[] } {
  const { stages, sets } = selected({ ...level, list: inSets ? PAGE : null }, scope);
  if (sets.length === 0) return { stages, setJoins: [] };
  return {
    stages: [
      ...stages,
      { $group: { _id: null, [PAGE]: { $push: '$$ROOT' } } },
      ...sets.flatMap((set) => set.stages),
    ],
    setJoins: sets.map(({ join }) => join),
  };
}

function selected(level: Level, scope: Scope): Selected {
  const populates = populateFieldsOf(level.selection);
  const stages: Stage[] = [];
  const sets: SetLookup[] = [];
  const narrowed = new Map<string, readonly string[]>();
  for (const populate of populates.values())
    for (const path of pathsOf(populate, level)) {
      if (isInSets(populate, level)) sets.push(...setLookups(path, scope));
      else {
        const lookups = rowLookups(path, scope);
        const plain = plainLookup(path, lookups);
        stages.push(...(plain ? [plain.stage] : lookups));
        if (plain) narrowed.set(path.field, plain.fields);
      }
    }
  return { stages: [...stages, projectStage(level, populates, narrowed)], sets };
}

const pathsOf = (populate: PopulateField, level: Level): readonly Path[] =>
  populate.relation.targets.flatMap((target, index) =>
    (populate.lookups[index] ?? []).map((lookup) => ({ populate, target, level, ...lookup })),
  );

/** What differs between lookups: the matched fields, the locale rule, the result field. */
interface Lookup {
  readonly link: Pick<JoinFields, 'local' | 'foreign'>;
  /** The comparison with each entry's own locale. */
  readonly ofParent: ReturnType<typeof parentRule>;
  readonly as: string;
}

/** The lookups of a path by row. */
function rowLookups(path: Path, scope: Scope): readonly Stage[] {
  const { populate, target, field } = path;
  const links = linksOf(path);
  const [link] = links;
  if (populate.kind === 'mediaInverse') {
    const fields = links.map((_, index) => `${field}_${index}`);
    return [
      ...links.map((each, index) =>
        rowLookup(path, { link: each, ofParent: null, as: fields[index] ?? '' }, scope),
      ),
      { $set: { [field]: { $concatArrays: fields.map((each) => `$${each}`) } } },
    ];
  }
  if (!link) return [];
  const gathered = references(path, link);
  const lookup = {
    link: gathered === null ? link : { ...link, local: field },
    ofParent: parentRule(target.target, target.locale, link),
    as: field,
  };
  const stage = rowLookup(path, lookup, scope);
  return gathered === null ? [stage] : [{ $set: { [field]: gathered } }, stage];
}

function rowLookup(path: Path, { link, ofParent, as }: Lookup, scope: Scope): Stage {
  const { stages } = targetRows(path, { ofParent: ofParent?.match ?? ALWAYS, list: null, extra: [] }, scope);
  return {
    $lookup: {
      from: path.source.collection,
      localField: link.local,
      foreignField: link.foreign,
      ...(ofParent ? { let: ofParent.let } : {}),
      pipeline: stages,
      as,
    },
  };
}

/**
 * The lookups of a path in sets: the keys of all rows are looked up at once, and the found rows are put in a
 * list of their own.
 */
function setLookups(path: Path, scope: Scope): readonly SetLookup[] {
  const { populate, target, field, level, source } = path;
  const links = linksOf(path);
  return links.flatMap((link, index) => {
    const from = level.list ?? PAGE;
    const found = `${from === PAGE ? '' : from}${field}${links.length > 1 ? `_${index}` : ''}`;
    const rule = parentRule(target.target, target.locale, link);
    const foreign =
      populate.kind === 'morphInverse' ? link.foreign.slice(0, link.foreign.lastIndexOf('.')) : link.foreign;
    const extra = rule ? [foreign, 'locale'] : [foreign];
    const { stages, sets } = targetRows(path, { ofParent: ALWAYS, list: found, extra }, scope);
    const keys = scope.keyPaths ? localFieldPath(populate, from) : null;
    const lookup = {
      from: source.collection,
      localField: keys ?? found,
      foreignField: link.foreign,
      pipeline: stages,
      as: found,
    };
    const join: SetJoin = {
      from,
      found,
      field,
      localKeys: localReader(populate, target),
      foreignKeys: foreignReader(populate, level.type, link.foreign),
      locale: rule === null ? null : link.localizations ? 'other' : 'same',
    };
    const gathered = keys === null ? [{ $set: { [found]: localKeysOf(populate, target, from) } }] : [];
    return [{ stages: [...gathered, { $lookup: lookup }], join }, ...sets];
  });
}

/** The links of the path: one, or for files one for each media attribute of the type that shows them. */
function linksOf({ populate, target }: Path): readonly JoinFields[] {
  const { relation, kind, steps } = populate;
  if (kind !== 'mediaInverse') return [joinFieldsOf({ attribute: relation.attribute }, prefixOf(steps))];
  return (target.shownIn ?? []).map(({ stored }) => ({
    local: 'documentId',
    foreign: stored,
    localizations: false,
    texts: false,
  }));
}

/** The references as one flat list, if `localField` cannot reach them. */
function references({ populate, target }: Path, link: JoinFields): Expression | null {
  const { attribute } = populate.relation;
  if (populate.kind === 'morph') return morphKeys(populate, target.target);
  if (!populate.listed) return computedKeys(link);
  return inForms(referencesIn(populate.steps, attribute), link);
}

interface Within {
  readonly ofParent: Match;
  readonly list: string | null;
  readonly extra: readonly string[];
}

function targetRows({ populate, target, level, source }: Path, within: Within, scope: Scope): Selected {
  const { type } = level;
  // Localizations are all other locales; for links, the renderer compares the locale.
  const anyLocale = populate.kind === 'localizations' || populate.kind === 'mediaInverse';
  const base = allMatch([
    anyLocale ? ALWAYS : localeMatch(target.target, target.locale),
    within.ofParent,
    morphMatch(populate, type),
  ]);
  const found = [
    ...rowStages(rowsThat(target.filter, source, base, scope)),
    ...publicationStages(target.publication, source, (sibling) => visibleStages(sibling, scope)),
  ];
  if (countsInDatabase(populate)) return { stages: [...found, { $count: 'n' }], sets: [] };
  const merged = hasSeveralSources(target);
  const { stages, sets } = selected(
    {
      selection: target.selection,
      type: target.target,
      extra: [...within.extra, ...extraFields(populate, target), ...(merged ? [PLACE] : [])],
      list: within.list,
    },
    scope,
  );
  const order =
    sorted(target) && target.sort
      ? sortStages(target.sort, source, scope)
      : populate.kind === 'inverse' && target.target.storage
        ? BY_KEY
        : [];
  return { stages: [...found, ...order, ...(merged ? placeStages(order) : []), ...stages], sets };
}

/** Documents of other programs have no stored order of connection. */
const BY_KEY: readonly Stage[] = [{ $sort: { _id: 1 } }];

function morphMatch({ kind, relation }: PopulateField, type: ContentType): Match {
  const { attribute } = relation;
  if (kind !== 'morphInverse' || attribute.kind !== 'relation' || attribute.morphBy === null) return ALWAYS;
  return { [`${attribute.morphBy}.__type`]: { $eq: type.uid } };
}

/**
 * Fields that the renderer needs besides the selection: the owner's list and orders for an inverse relation,
 * the locale of a link.
 */
function extraFields(populate: PopulateField, target: RelationTarget): readonly string[] {
  const { attribute } = populate.relation;
  const fields = [
    ...((target.linked && target.target.localized) || populate.kind === 'localizations' ? ['locale'] : []),
    ...(target.target.storage && isReferring(populate) ? [attribute.link.foreign] : []),
  ];
  const owner = attribute.kind === 'relation' ? (attribute.mappedBy ?? attribute.morphBy) : null;
  if ((populate.kind !== 'inverse' && populate.kind !== 'morphInverse') || owner === null) return fields;
  const ordered =
    populate.kind === 'inverse' && attribute.many && !sorted(target) && !target.target.storage
      ? [owner, `_links.${owner}.order`]
      : [];
  const linked = target.linked ? [owner, `_links.${owner}.locale`] : [];
  return [...new Set([...fields, ...ordered, ...linked])];
}
