/** Populate as `$lookup` (rules C; docs/decisions/001): one a path and target, nested populate inside its pipeline. */
import type { RelationTarget, Selection } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { collectionName } from './collection.js';
import { ALWAYS, and } from './combine.js';
import { gather, mapItems } from './gather.js';
import { localeMatch, parentRule } from './locale.js';
import { rowsThat } from './match.js';
import { sortStages } from './order.js';
import { linkOf } from './place.js';
import { projectStage } from './project.js';
import { publicationStages } from './publication.js';
import { rowStages } from './rows.js';
import type { Scope } from './scope.js';
import { linkedLocale, type Side, type Sides, sidesOf, sorted } from './sides.js';
import type { Expression, Match, Stage } from './types.js';

/** The lookups of an entry's populated paths, and the projection that closes its pipeline. `extra` fields are kept too. */
export function selectionStages(
  selection: Selection,
  type: ContentType,
  extra: readonly string[],
  scope: Scope,
): readonly Stage[] {
  const sides = sidesOf(selection);
  return [...lookups(sides, type, scope), projectStage(selection, type, sides, extra)];
}

const lookups = (sides: Sides, type: ContentType, scope: Scope): readonly Stage[] =>
  [...sides.values()].flatMap((side) =>
    side.relation.targets.flatMap((target, index) => {
      const field = side.fields[index];
      return field === undefined ? [] : lookup(side, target, field, type, scope);
    }),
  );

function lookup(
  side: Side,
  target: RelationTarget,
  field: string,
  type: ContentType,
  scope: Scope,
): readonly Stage[] {
  if (side.kind === 'mediaInverse') return showingLookups(side, target, field, type, scope);
  const { attribute } = side.relation;
  const link = linkOf({ attribute }, side.steps.map(({ name }) => `${name}.`).join(''));
  const ofParent = parentRule(target.target, target.locale, link);
  const gathered = references(side, target);
  const stage: Stage = {
    $lookup: {
      from: collectionName(target.target, target.status),
      localField: gathered === null ? link.local : field,
      foreignField: link.foreign,
      ...(ofParent ? { let: ofParent.let } : {}),
      pipeline: targetStages(side, target, type, ofParent?.match ?? ALWAYS, scope),
      as: field,
    },
  };
  return gathered === null ? [stage] : [{ $set: { [field]: gathered } }, stage];
}

/** The entries of a content type that show a file in an attribute of their own, one for each such attribute. */
function showingLookups(
  side: Side,
  target: RelationTarget,
  field: string,
  type: ContentType,
  scope: Scope,
): readonly Stage[] {
  const media = [...target.target.attributes.values()].filter(({ kind }) => kind === 'media');
  const lookups = media.map(({ name }, index) => ({
    $lookup: {
      from: collectionName(target.target, target.status),
      localField: 'documentId',
      foreignField: name,
      pipeline: targetStages(side, target, type, ALWAYS, scope),
      as: `${field}_${index}`,
    },
  }));
  return [
    ...lookups,
    { $set: { [field]: { $concatArrays: media.map((_, index) => `$${field}_${index}`) } } },
  ];
}

/** The references as one list of scalars, where `localField` does not reach them by itself. */
function references({ relation, kind, steps, listed }: Side, { target }: RelationTarget): Expression | null {
  const { name, many } = relation.attribute;
  if (kind === 'morph') {
    const ofType = (base: string): Expression => ({
      $map: {
        input: {
          $filter: {
            input: many ? { $ifNull: [`${base}${name}`, []] } : [`${base}${name}`],
            as: 'ref',
            cond: { $eq: ['$$ref.__type', { $literal: target.uid }] },
          },
        },
        as: 'ref',
        in: '$$ref.documentId',
      },
    });
    return mapItems(steps, ofType, true);
  }
  return listed ? gather(steps, name, many) : null;
}

function targetStages(
  side: Side,
  target: RelationTarget,
  type: ContentType,
  ofParent: Match,
  scope: Scope,
): readonly Stage[] {
  const chosenByLink = linkedLocale(side, target, type.localized) !== null;
  // Localizations are the other locales, whichever is read; the locale of a link is the renderer's matter.
  const anyLocale = chosenByLink || side.kind === 'localizations' || side.kind === 'mediaInverse';
  const base = and([
    anyLocale ? ALWAYS : localeMatch(target.target, target.locale),
    ofParent,
    morphMatch(side, type),
  ]);
  const source = { type: target.target, status: target.status };
  const found = [
    ...rowStages(rowsThat(target.filter, source, base, scope)),
    ...publicationStages(target.publication, target.target, target.status),
  ];
  if (countsInDatabase(side)) return [...found, { $count: 'n' }];
  return [
    ...found,
    ...(sorted(target) && target.sort ? sortStages(target.sort, source, scope) : []),
    ...selectionStages(target.selection, target.target, extraFields(side, target, chosenByLink), scope),
  ];
}

/** Whether the side field holds `[{ n }]`: a count of rows that belong to one place only. */
export const countsInDatabase = ({ relation, listed, kind }: Side): boolean =>
  relation.count && !listed && relation.targets.length === 1 && kind !== 'morph' && kind !== 'mediaInverse';

function morphMatch({ kind, relation }: Side, type: ContentType): Match {
  const { attribute } = relation;
  if (kind !== 'morphInverse' || attribute.kind !== 'relation' || attribute.morphBy === null) return ALWAYS;
  return { [`${attribute.morphBy}.__type`]: { $eq: type.uid } };
}

/** What the renderer needs besides the selection: the owner's list and orders for an inverse relation, the locale of a link. */
function extraFields(side: Side, target: RelationTarget, chosenByLink: boolean): readonly string[] {
  const { attribute } = side.relation;
  const fields = chosenByLink ? ['locale'] : [];
  if (side.kind !== 'inverse' || attribute.kind !== 'relation' || attribute.mappedBy === null) return fields;
  if (!attribute.many || sorted(target)) return fields;
  return [...fields, attribute.mappedBy, `_links.${attribute.mappedBy}.order`];
}
