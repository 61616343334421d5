import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv as AjvClass, Options, ValidateFunction } from 'ajv';
import { packageOnUse } from '../../values/on-use.js';
import { componentSchema, contentTypeSchema, extensionSchema } from './meta.js';
import { attributeSchema } from './meta-attribute.js';
import type { SchemaFile } from './read.js';

type Validators = Readonly<Record<SchemaFile['kind'], ValidateFunction>>;

const SCHEMAS: Readonly<Record<SchemaFile['kind'], object>> = {
  contentType: contentTypeSchema,
  component: componentSchema,
  extension: extensionSchema,
};
const OPTIONS: Options = {
  allErrors: true,
  discriminator: true,
  strict: false,
  verbose: true,
  // Otherwise each schema would contain the code for attributes.
  inlineRefs: false,
};

/**
 * Written by the build (scripts/build.mjs) beside this file. Compiling the validators takes longer than everything else
 * a start does with schemas.
 */
export const COMPILED = 'file-validators.cjs';

const ajvPackage = packageOnUse<{ readonly Ajv: new (options: Options) => AjvClass }>('ajv');
const standalonePackage = packageOnUse<{
  readonly default: (ajv: AjvClass, names: Readonly<Record<string, string>>) => string;
}>('ajv/dist/standalone');
let known: Validators | null = null;

const isBuilt = existsSync(new URL(COMPILED, import.meta.url));

/** The validators of schema files: compiled by the build, or compiled now when running from source. */
export function fileValidators(): Validators {
  known ??= isBuilt ? loadCompiled() : validatorsOf(newAjv());
  return known;
}

/** Frees the validators, whose code takes more memory than most packages, once the schema is loaded. */
export function dropFileValidators(): void {
  if (isBuilt) known = null;
}

/**
 * Loads the compiled validators so that only the return value keeps their code alive: removes them from
 * Node's cache and from the exports, which modules loaded by this one still reference through their parent.
 */
function loadCompiled(): Validators {
  const require = createRequire(import.meta.url);
  const path = require.resolve(`./${COMPILED}`);
  const exported: Validators = require(path);
  const validators = { ...exported };
  for (const kind of Object.keys(validators)) Reflect.deleteProperty(exported, kind);
  delete require.cache[path];
  return validators;
}

/** The source of the validators, a CommonJS module. */
export function compiledValidators(): string {
  const { default: standalone } = standalonePackage();
  const ajv = newAjv({ code: { source: true } });
  for (const [kind, schema] of Object.entries(SCHEMAS)) ajv.addSchema(schema, kind);
  return standalone(ajv, Object.fromEntries(Object.keys(SCHEMAS).map((kind) => [kind, kind])));
}

/** Loads ajv only when it is needed. */
function newAjv(more: Options = {}): AjvClass {
  const { Ajv } = ajvPackage();
  return new Ajv({ ...OPTIONS, ...more }).addSchema(attributeSchema);
}

const validatorsOf = (ajv: AjvClass): Validators => ({
  contentType: ajv.compile(contentTypeSchema),
  component: ajv.compile(componentSchema),
  extension: ajv.compile(extensionSchema),
});
