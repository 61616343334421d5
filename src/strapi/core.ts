import { existingType } from '../schema/find.js';
import type { Schema } from '../schema/types.js';
import { memberOf } from '../values/once-per.js';
import { coreControllerOf, HELPERS } from './core-controller.js';
import { coreServiceOf } from './core-service.js';
import type { CoreParts } from './factories.js';
import type { Live } from './live.js';
import type { Values } from './types.js';

/** The core controllers and services of the content types, which a project's own ones extend. */
export class Core implements CoreParts {
  private readonly controllers = new Map<string, Values>();
  private readonly services = new Map<string, Values>();

  constructor(
    private readonly schema: () => Schema,
    private readonly live: () => Live,
    /** The project's service of a type; its core one if it has none. */
    private readonly serviceNow: (uid: string) => Values,
  ) {}

  /** Whether a controller's action, and all that it uses, are the core ones. */
  isUntouched(uid: string, action: string, controller: Values): boolean {
    const core = this.controller(uid);
    return [action, ...HELPERS].every((name) => controller[name] === core[name]) && this.isPlain(uid);
  }

  controller(uid: string): Values {
    const { schema, live } = this;
    return memberOf(this.controllers, uid, () =>
      coreControllerOf({
        uid,
        schema,
        live,
        service: () => this.serviceNow(uid),
        isPlain: () => this.isPlain(uid),
      }),
    );
  }

  service(uid: string): Values {
    return memberOf(this.services, uid, () => coreServiceOf(this.live, existingType(this.schema(), uid)));
  }

  /** Whether the core methods of a type's service are untouched. */
  private isPlain(uid: string): boolean {
    const own = this.serviceNow(uid);
    const core = this.service(uid);
    return Object.keys(core).every((name) => own[name] === core[name]);
  }
}
