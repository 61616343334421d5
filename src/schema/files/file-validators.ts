import type { Ajv as AjvClass, Options, ValidateFunction } from 'ajv';
import { packageOnUse } from '../../values/on-use.js';
import { once } from '../../values/once-per.js';
import { componentSchema, contentTypeSchema, extensionSchema } from './meta.js';
import { attributeSchema } from './meta-attribute.js';
import type { SchemaFile } from './read.js';

const OPTIONS: Options = {
  allErrors: true,
  discriminator: true,
  strict: false,
  verbose: true,
  // Otherwise each schema would contain the code for attributes.
  inlineRefs: false,
};

const ajvPackage = packageOnUse<{ readonly Ajv: new (options: Options) => AjvClass }>('ajv');

/** The validators of schema files. */
export const fileValidators = once((): Readonly<Record<SchemaFile['kind'], ValidateFunction>> => {
  const { Ajv } = ajvPackage();
  const ajv = new Ajv(OPTIONS).addSchema(attributeSchema);
  return {
    contentType: ajv.compile(contentTypeSchema),
    component: ajv.compile(componentSchema),
    extension: ajv.compile(extensionSchema),
  };
});
