import { type ModelSource, type RawAttribute, VIRTUAL } from '../files/raw.js';
import { RELATION_RULES } from '../relation.js';
import { canBeUnique, readDefault } from '../scalars/index.js';
import { type Attribute, MEDIA_KINDS, type MediaAttribute } from '../types.js';
import { type FindSource, linkOf, ownValue, storageOf, storedPath } from './storage.js';

/** What the model determines for its attributes. */
interface AttributeContext {
  /**
   * Whether the content type is localized; false in components, which belong to the locale of their entry.
   */
  readonly localized: boolean;
  /** `privateAttributes` of the type and of the project. */
  readonly private: ReadonlySet<string>;
  readonly source: ModelSource;
  readonly find: FindSource;
}

/** What Strapi sets when it writes a row, also if it is a component's that declares it as its own attribute. */
const TIMESTAMPS: ReadonlySet<string> = new Set(['createdAt', 'updatedAt']);
const now = (): string => new Date().toISOString();

/** Resolves one checked attribute of a schema file. */
export function resolveAttribute(name: string, raw: RawAttribute, context: AttributeContext): Attribute {
  const storage = storageOf(context.source);
  const isTimestamp = raw.type === 'datetime' && TIMESTAMPS.has(name);
  const integer = storage?.integers && ownValue(storage.integers, name);
  const link = () => linkOf(context.source, name, raw, context.find);
  const common = {
    name,
    stored: storedPath(storage, name),
    adopted: storage !== null,
    required: raw.required === true && !isTimestamp,
    // A uid is always unique.
    unique: raw.type === 'uid' || (raw.unique === true && canBeUnique(raw.type)),
    private: (raw.private ?? false) || raw.type === 'password' || context.private.has(name),
    writable: raw.writable ?? true,
    searchable: raw.searchable ?? true,
    localized: context.localized && isLocalized(raw),
    system: false,
    visibleWhen: raw.conditions?.visible ?? null,
  };
  switch (raw.type) {
    case 'relation':
      return { ...common, kind: 'relation', ...relationShape(raw), link: link() };
    case 'media':
      return {
        ...common,
        kind: 'media',
        many: raw.multiple ?? false,
        allowedTypes: mediaTypes(raw),
        link: link(),
      };
    case 'component':
      return {
        ...common,
        ...given(raw, ['min', 'max']),
        kind: 'component',
        component: raw.component ?? '',
        many: raw.repeatable ?? false,
      };
    case 'dynamiczone':
      return { ...common, ...given(raw, ['min', 'max']), kind: 'zone', components: raw.components ?? [] };
    default:
      return {
        ...common,
        ...given(raw, ['minLength', 'maxLength', 'min', 'max', 'enum', 'targetField']),
        ...(raw.regex === undefined ? {} : { regex: new RegExp(raw.regex) }),
        ...(raw.encryption?.rounds === undefined ? {} : { rounds: raw.encryption.rounds }),
        ...(storage?.lists?.includes(name) ? { list: true as const } : {}),
        ...(integer && { integer }),
        kind: 'scalar',
        type: raw.type,
        default: isTimestamp ? now : readDefault(raw.type, raw.default, raw.enum ?? []),
      };
  }
}

/**
 * By the attribute's flag; relations and uids always are. Media follow the flag: recorded responses show a
 * file without it in every locale (i18n/non-localized-sync).
 */
const isLocalized = (raw: RawAttribute): boolean =>
  raw.type === 'relation' || raw.type === 'uid' || raw.pluginOptions?.i18n?.localized === true;

/** The kind, targets and ownership of a checked relation. */
function relationShape(raw: RawAttribute) {
  const { relation = 'oneToOne', target = null, inversedBy = null, mappedBy = null, morphBy = null } = raw;
  const { many, owner } = RELATION_RULES[relation];
  const owns = owner === 'always' || (owner === 'unless mapped' && mappedBy === null);
  return { relation, target, inversedBy, mappedBy, morphBy, many, owner: owns && !raw[VIRTUAL] };
}

/** Null or no kind means all. */
const mediaTypes = (raw: RawAttribute): MediaAttribute['allowedTypes'] => {
  const named = MEDIA_KINDS.filter((type) => raw.allowedTypes?.includes(type));
  return named.length > 0 ? named : MEDIA_KINDS;
};

type Given<K extends keyof RawAttribute> = { [P in K]?: Numeric<NonNullable<RawAttribute[P]>, P> };
/** The meta-schema allows strings only for the bounds of `biginteger`. */
type Numeric<T, P> = P extends 'min' | 'max' ? number : T;

/** The options among `names` that are set. */
function given<K extends keyof RawAttribute>(raw: RawAttribute, names: readonly K[]): Given<K> {
  return Object.fromEntries(
    names.filter((name) => raw[name] !== undefined && raw[name] !== null).map((name) => [name, raw[name]]),
  ) as Given<K>;
}
