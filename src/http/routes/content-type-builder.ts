import { errors } from '../../errors.js';
import { schemaAttribute } from '../../query/attributes.js';
import { automaticAttributes } from '../../schema/model/system.js';
import type { Component, ContentType, Model } from '../../schema/types.js';
import { ADMIN_UID, FILE_UID, USER_UID } from '../../schema/uids.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import type { Controller, RequestContext, Route } from '../context.js';

const PREFIX = '/content-type-builder';
const action = (name: string): string => `plugin::content-type-builder.${name}`;

const KINDS: ReadonlySet<unknown> = new Set(['collectionType', 'singleType']);

/** The attributes that every content type has. */
const AUTOMATIC = automaticAttributes({
  uid: '',
  table: '',
  localized: false,
  populateCreatorFields: false,
});

/**
 * An attribute in Strapi's form: as in its schema file, with some members of media and relations made
 * explicit.
 */
const attributeOf = (declared: PlainObject): PlainObject => {
  const { configurable, required, multiple, inversedBy, mappedBy, ...rest } = declared;
  const locked = configurable === false ? { configurable } : {};
  switch (declared['type']) {
    case 'media':
      return {
        type: 'media',
        multiple: multiple === true,
        required: required === true,
        ...locked,
        private: declared['private'] === true,
        ...('allowedTypes' in declared ? { allowedTypes: declared['allowedTypes'] } : {}),
        ...('pluginOptions' in declared ? { pluginOptions: declared['pluginOptions'] } : {}),
      };
    case 'relation':
      return {
        ...rest,
        ...(required === undefined ? {} : { required }),
        ...(inversedBy === undefined ? {} : { inversedBy }),
        ...(mappedBy === undefined ? {} : { mappedBy }),
        targetAttribute: inversedBy ?? mappedBy ?? null,
        ...locked,
        private: declared['private'] === true,
      };
    default:
      return declared;
  }
};

/** The attributes that Strapi's editor shows. Of those that Mangrove adds, only `publishedAt` is. */
const attributesOf = ({ declared }: Model): PlainObject =>
  Object.fromEntries(
    Object.entries(declared.attributes)
      .filter(([name, attribute]) => attribute['visible'] !== false && !Object.hasOwn(AUTOMATIC, name))
      .map(([name, attribute]) => [name, attributeOf(attribute)]),
  );

const isVisible = ({ declared }: Model): boolean =>
  objectAt(declared.pluginOptions, 'content-type-builder')['visible'] !== false;

/** Which relations to this type Strapi's editor offers; null: all. */
const restrictionsOf = (type: ContentType): readonly string[] | null => {
  if (type.uid === USER_UID) return null;
  if (type.uid === ADMIN_UID) return ['oneWay', 'manyWay'];
  return type.origin === 'admin' || type.uid === FILE_UID || !isVisible(type) ? [] : null;
};

const nameIn = (uid: string): string => uid.split('.').at(-1)?.replace(/^.*::/, '') ?? uid;

const pluginOf = ({ uid, origin }: ContentType): object => {
  if (origin === 'api') return {};
  return { plugin: origin === 'admin' ? 'admin' : /::([^.]+)/.exec(uid)?.[1] };
};

const contentTypeEntry = (type: ContentType): object => {
  const { declared } = type;
  return {
    uid: type.uid,
    ...pluginOf(type),
    apiID: nameIn(type.uid),
    schema: {
      draftAndPublish: false,
      ...declared.options,
      displayName: type.displayName,
      singularName: type.singularName,
      pluralName: type.pluralName,
      description: declared.info['description'] ?? '',
      pluginOptions: declared.pluginOptions,
      kind: type.kind,
      collectionName: type.collectionName,
      attributes: {
        ...attributesOf(type),
        ...(schemaAttribute(type, 'publishedAt') ? { publishedAt: AUTOMATIC.publishedAt } : {}),
      },
      visible: isVisible(type),
      restrictRelationsTo: restrictionsOf(type),
    },
  };
};

const componentEntry = (component: Component): object => {
  const { declared, uid } = component;
  const { icon } = declared.info;
  return {
    uid,
    category: uid.split('.')[0],
    apiId: nameIn(uid),
    schema: {
      displayName: component.displayName,
      description: declared.info['description'] ?? '',
      ...(icon === undefined ? {} : { icon }),
      ...(declared.collectionName === null ? {} : { collectionName: declared.collectionName }),
      pluginOptions: declared.pluginOptions,
      attributes: attributesOf(component),
    },
  };
};

const kindOf = (ctx: RequestContext): unknown => {
  const { kind } = ctx.exchange.query.params;
  if (kind === undefined || KINDS.has(kind)) return kind;
  throw errors.validation(
    'content-type-kind-invalid',
    'kind must be one of the following values: collectionType, singleType',
  );
};

const types: Controller = (ctx, _, { schema }) => {
  const kind = kindOf(ctx);
  const found = [...schema.contentTypes.values()].filter((type) => kind === undefined || type.kind === kind);
  ctx.body = { data: found.map(contentTypeEntry) };
};

const type: Controller = (ctx, _, { schema }) => {
  const found = schema.contentTypes.get(ctx.params['uid'] ?? '');
  if (!found) throw errors.missing('content-type-not-found', 'contentType.notFound');
  ctx.body = { data: contentTypeEntry(found) };
};

const components: Controller = (ctx, _, { schema }) => {
  ctx.body = { data: [...schema.components.values()].map(componentEntry) };
};

const component: Controller = (ctx, _, { schema }) => {
  const found = schema.components.get(ctx.params['uid'] ?? '');
  if (!found) throw errors.missing('component-not-found', 'component.notFound');
  ctx.body = { data: componentEntry(found) };
};

/** The schemas, for programs that read content types before content. Private attributes are included. */
export const contentTypeBuilderRoutes: readonly Route[] = [
  {
    method: 'get',
    path: `${PREFIX}/content-types`,
    action: action('content-types.getContentTypes'),
    controller: types,
  },
  {
    method: 'get',
    path: `${PREFIX}/content-types/:uid`,
    action: action('content-types.getContentType'),
    controller: type,
  },
  {
    method: 'get',
    path: `${PREFIX}/components`,
    action: action('components.getComponents'),
    controller: components,
  },
  {
    method: 'get',
    path: `${PREFIX}/components/:uid`,
    action: action('components.getComponent'),
    controller: component,
  },
];
