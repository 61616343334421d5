import { ApiError, errors } from '../errors.js';
import { isObject } from '../values/plain-object.js';
import { isCallable, type Values } from './types.js';
import { Unsupported } from './unsupported.js';

type ErrorClass = new (...given: never[]) => Error;

/** The errors of `@strapi/utils`, which a project's code throws and compares with `instanceof`. */
export class ApplicationError extends Error {
  details: unknown;

  constructor(message = 'An application error occurred', details: unknown = {}) {
    super();
    this.name = 'ApplicationError';
    // Assigned, so that JSON contains it.
    this.message = message;
    this.details = details;
  }
}

/** Those that the server throws are instances, too: of the class with their name. */
Object.defineProperty(ApplicationError, Symbol.hasInstance, {
  value(this: ErrorClass, error: unknown): boolean {
    if (!(error instanceof ApiError)) return Function.prototype[Symbol.hasInstance].call(this, error);
    return this.name === error.name || (this === ApplicationError && error.status < 500);
  },
});

/** Strapi's classes of errors: their status and what they say by default. */
const CLASSES = {
  ValidationError: { status: 400, message: 'Validation error' },
  PaginationError: { status: 400, message: 'Invalid pagination' },
  NotFoundError: { status: 404, message: 'Entity not found' },
  ForbiddenError: { status: 403, message: 'Forbidden access' },
  UnauthorizedError: { status: 401, message: 'Unauthorized' },
  RateLimitError: { status: 429, message: 'Too many requests, please try again later.' },
  PayloadTooLargeError: { status: 413, message: 'Entity too large' },
  NotImplementedError: { status: 501, message: 'This feature is not implemented yet' },
} as const;
type ClassName = keyof typeof CLASSES;

const errorClass = (name: ClassName, Parent = ApplicationError): typeof ApplicationError =>
  class extends Parent {
    static override readonly name: string = name;

    constructor(message: string = CLASSES[name].message, details?: unknown) {
      super(message, details);
      this.name = name;
    }
  };

const ForbiddenError = errorClass('ForbiddenError');
const UnauthorizedError = errorClass('UnauthorizedError');

class PolicyError extends ForbiddenError {
  constructor(message = 'Policy Failed', details: unknown = {}) {
    super(message, details);
    this.name = 'PolicyError';
  }
}

interface YupError extends Error {
  readonly path?: string;
  readonly value?: unknown;
  readonly inner?: readonly YupError[];
}

const formatted = ({ path = '', message, name, value }: YupError): Values => ({
  path: path.split(/[.[\]"']+/).filter((part) => part !== ''),
  message,
  name,
  value,
});

/** What the validation of `yup` throws, as a `ValidationError`. */
class YupValidationError extends errorClass('ValidationError') {
  constructor(given: YupError, message = given.message) {
    const { inner = [] } = given;
    super(message, { errors: (inner.length > 0 ? inner : [given]).map(formatted) });
  }
}

class HttpError extends Error {
  details: unknown;

  constructor(message = 'An HTTP error occurred', details: unknown = {}) {
    super(message);
    this.name = 'HttpError';
    this.details = details;
  }
}

/** `errors` of `@strapi/utils`. */
export const strapiErrors = {
  HttpError,
  ApplicationError,
  ...Object.fromEntries(
    Object.keys(CLASSES).flatMap((name) =>
      name === 'ForbiddenError' || name === 'UnauthorizedError'
        ? []
        : [[name, errorClass(name as ClassName)]],
    ),
  ),
  ForbiddenError,
  UnauthorizedError,
  PolicyError,
  YupValidationError,
} satisfies Values;

const statusOf = (name: string): number => {
  if (name === 'PolicyError') return 403;
  return Object.hasOwn(CLASSES, name) ? CLASSES[name as ClassName].status : 400;
};

/** Those of the project's installed `@strapi/utils`, which its functions throw. */
const applicationErrors = new Set<ErrorClass>([ApplicationError]);
export const alsoApplicationErrors = (given: unknown): void => {
  if (isCallable(given)) applicationErrors.add(given as unknown as ErrorClass);
};

const isApplicationError = (error: unknown): error is ApplicationError =>
  [...applicationErrors].some((one) => error instanceof one);

type Details = Parameters<typeof errors.ofStrapiCode>[3];

/** `ctx.throw(409, 'taken', { details })`; without details, its error says everything. */
const isThrownByContext = (error: unknown): error is Error & { status: number; details: Details } => {
  if (!(error instanceof Error)) return false;
  const { expose, status, details }: Values = Object(error);
  return expose === true && Number(status) >= 400 && Number(status) < 500 && isObject(details);
};

/** What a project's code threw, as the answer that Strapi gives. Errors of other kinds are returned as they are. */
export function asAnswer(error: unknown): unknown {
  if (error instanceof Unsupported) return errors.strapiUnsupported(error.message);
  if (isThrownByContext(error))
    return errors.ofStrapiCode(error.status, error.name, error.message, error.details);
  if (error instanceof ApiError || !isApplicationError(error)) return error;
  const { name, message, details } = error;
  return errors.ofStrapiCode(statusOf(name), name, message, isObject(details) ? details : {});
}

/** The same for what runs inside of a route: as in Strapi, what such errors say is not for the caller. */
export function asAnswerOfRoute(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof UnauthorizedError)
    return errors.ofStrapiCode(401, 'UnauthorizedError', 'Unauthorized', {});
  if (error instanceof ForbiddenError && !(error instanceof PolicyError)) return errors.forbidden();
  return asAnswer(error);
}
