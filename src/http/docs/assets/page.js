/* global SwaggerUIBundle */

/** The page is at `<base>/docs`, and its API where the server says. */
const config = await (await fetch('docs/config.json')).json();

const form = document.getElementById('credential');
const field = document.getElementById('token');
const state = document.getElementById('state');

/** Operations whose real answers are shown as examples. */
const MAX_EXAMPLES = 40;

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

const headers = () => (field.value === '' ? {} : { Authorization: `Bearer ${field.value}` });

const ask = async (path) => {
  const answer = await fetch(path, { headers: headers() });
  return answer.ok ? answer.json() : null;
};

const nameOf = (schema) => schema.$ref?.split('/').at(-1);
const named = (document, schema) => (schema?.$ref ? document.components.schemas[nameOf(schema)] : schema);

/** Levels of a schema that are written out; deeper ones are named. */
const LEVELS = 3;

/** A schema with what it refers to in its place. */
const written = (document, schema, levels = LEVELS) => {
  if (Array.isArray(schema)) return schema.map((one) => written(document, one, levels));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref)
    return levels > 0
      ? { title: nameOf(schema), ...written(document, named(document, schema), levels - 1) }
      : { type: 'object', title: nameOf(schema) };
  const { discriminator: _, examples: __, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'properties'
        ? Object.fromEntries(
            Object.entries(value).map(([name, one]) => [name, written(document, one, levels - 1)]),
          )
        : key === 'enum' || key === 'required' || key === 'default'
          ? value
          : written(document, value, levels),
    ]),
  );
};

/** How parameters that nest are written here. */
const FORMS = {
  fields: 'Names with commas between',
  populate: '`*`, or names with commas between; a dot leads on',
  sort: 'Names with commas between, each with `:asc` or `:desc`',
  locale: 'A locale, or `*`',
};
const JSON_FORM = 'JSON, such as `{"name":{"$containsi":"a"}}`';

/** The names that a parameter may say: those of the object among its forms, or of the list. */
const namesIn = (document, schema) => {
  const found = named(document, schema) ?? {};
  const forms = [found, ...(found.anyOf ?? []).map((one) => named(document, one))];
  const names = forms.flatMap((one) =>
    one?.properties ? Object.keys(one.properties) : (named(document, one?.items)?.enum ?? []),
  );
  return [...new Set(names)].filter((name) => !name.startsWith('$'));
};

const parameterOf = (document, parameter) => {
  const { anyOf } = named(document, parameter.schema) ?? {};
  if (parameter.style !== 'deepObject' && !anyOf)
    return { ...parameter, schema: written(document, parameter.schema, 1) };
  const { style: _, explode: __, ...rest } = parameter;
  const { name } = parameter;
  const form = FORMS[name] ?? JSON_FORM;
  const names = namesIn(document, parameter.schema);
  const said = [
    parameter.description,
    form,
    names.length > 0 ? names.map((one) => `\`${one}\``).join(', ') : null,
  ];
  return { ...rest, description: said.filter(Boolean).join('. '), schema: { type: 'string' } };
};

const contentOf = (document, content) =>
  content &&
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...rest }]) => [
      type,
      { ...rest, schema: written(document, schema) },
    ]),
  );

/** Refusals are told by their codes; they all have one form. */
const responseOf = (document, response) => {
  if (response.$ref) return { description: document.components.responses[nameOf(response)].description };
  const { headers: _, content, ...rest } = response;
  return { ...rest, ...(content && { content: contentOf(document, content) }) };
};

const operationOf = (document, { security: _, requestBody, ...operation }) => ({
  ...operation,
  parameters: (operation.parameters ?? []).map((one) => parameterOf(document, one)),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, one]) => [status, responseOf(document, one)]),
  ),
  ...(requestBody && {
    requestBody: { ...requestBody, content: contentOf(document, requestBody.content) },
  }),
});

/** The description without references: each operation stands for itself, so that it opens at once. */
const readable = (document) => ({
  openapi: document.openapi,
  info: document.info,
  tags: document.tags,
  servers: [{ url: location.origin }],
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, operationOf(document, operation)]),
      ),
    ]),
  ),
});

/** What a body says to have what an answer shows: documents by their id, new items of components. */
const sent = (value) => {
  if (Array.isArray(value)) return value.map(sent);
  if (typeof value !== 'object' || value === null) return value;
  if (value.documentId) return value.documentId;
  const { id: _, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, sent(inner)]));
};

const bodyOf = (entry, schema) => {
  const properties = schema?.properties?.data?.properties ?? {};
  const said = Object.entries(entry).filter(
    ([key, value]) => key in properties && !properties[key].deprecated && value !== null,
  );
  return { data: sent(Object.fromEntries(said)) };
};

const isListOfEntries = (operation) => {
  const names = new Set(operation?.parameters.map(({ name }) => name));
  return names.has('pagination[pageSize]') && names.has('populate');
};

/** Real answers of this server, as the caller gets them, in the place of invented ones. Only lists are asked: they never refuse. */
const withExamples = async (document) => {
  const lists = Object.entries(document.paths)
    .filter(([path, { get }]) => !path.includes('{') && isListOfEntries(get))
    .slice(0, MAX_EXAMPLES);
  const put = (operation, value) => {
    for (const status of [200, 201]) {
      const content = operation?.responses[status]?.content?.['application/json'];
      if (content) content.example = value;
    }
  };
  await Promise.all(
    lists.map(async ([path, methods]) => {
      const answer = await ask(`${path}?pagination[pageSize]=1&populate=*`).catch(() => null);
      if (answer === null) return;
      put(methods.get, Array.isArray(answer) ? answer.slice(0, 1) : answer);
      const [entry] = answer.data ?? [];
      const one = document.paths[`${path}/{documentId}`];
      if (!entry) return;
      for (const operation of [methods.post, one?.get, one?.put]) {
        put(operation, { data: entry, meta: {} });
        const body = operation?.requestBody?.content['application/json'];
        if (body) body.example = bodyOf(entry, body.schema);
      }
    }),
  );
};

/** `{"name":{"$eq":"a"}}` of the parameter `filters` as `filters[name][$eq]=a`. */
const nested = (name, value) =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => nested(`${name}[${key}]`, inner))
    : [[name, String(value)]];

const parsed = (text) => {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const asQs = (url) => {
  const at = new URL(url, location.href);
  const pairs = [...at.searchParams].flatMap(([name, value]) => nested(name, parsed(value)));
  at.search = new URLSearchParams(pairs).toString();
  return at.href;
};

const load = async () => {
  state.textContent = 'Loading…';
  const answer = await fetch(config.description, { headers: headers() });
  if (!answer.ok) {
    state.textContent =
      answer.status === 401 ? 'Nobody knows this token.' : `The server answers ${answer.status}.`;
    return;
  }
  const shown = readable(await answer.json());
  await withExamples(shown);
  SwaggerUIBundle({
    spec: shown,
    dom_id: '#ui',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    filter: true,
    showExtensions: false,
    tryItOutEnabled: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [
      {
        fn: {
          // By the name of a type or by an address, in any case.
          opsFilter: (tagged, phrase) => {
            const wanted = phrase.toLowerCase();
            const has = (text) => String(text).toLowerCase().includes(wanted);
            return tagged
              .map((group, tag) =>
                has(tag)
                  ? group
                  : group.update('operations', (all) => all.filter((one) => has(one.get('path')))),
              )
              .filter((group) => group.get('operations').size > 0);
          },
        },
      },
    ],
    requestInterceptor: (request) => ({
      ...request,
      url: asQs(request.url),
      headers: { ...request.headers, ...headers() },
    }),
    onComplete: () => {
      const count = Object.values(shown.paths).flatMap(Object.keys).length;
      state.textContent = `${count} operations that ${field.value === '' ? 'the public role' : 'this token'} may call`;
    },
  });
};

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void load();
});
await load();
