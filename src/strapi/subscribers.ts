import { type Callable, isCallable, type Values } from './types.js';
import { during } from './under-way.js';

/** What each subscriber gets in an event of its own, so that it can change what is in it, but not replace it. */
interface Subject {
  readonly model: Values & { readonly uid: string };
  readonly params: Values;
  readonly result?: unknown;
}

interface Subscriber {
  /** Null: every model. */
  readonly models: readonly string[] | null;
  hook(name: string): Callable | null;
}

/** What was announced before a row is written, with what each subscriber keeps until after it. */
export interface Announced {
  readonly subject: Subject;
  readonly states: Map<Subscriber, unknown>;
}

const subscriberOf = (given: unknown, models: readonly string[] | null): Subscriber => ({
  models,
  hook(name) {
    if (isCallable(given)) return given;
    const hook: unknown = Object(given)[name];
    return isCallable(hook) ? hook.bind(given) : null;
  },
});

/** Who is told of what happens to rows: lifecycle files, and what `strapi.db.lifecycles` was given. */
export class Subscribers {
  private readonly all: Subscriber[] = [];

  /**
   * @param models null: every model
   * @returns removes it
   */
  add(given: unknown, models: readonly string[] | null): () => void {
    const subscriber = subscriberOf(given, models);
    this.all.push(subscriber);
    return () => void this.all.splice(this.all.indexOf(subscriber), 1);
  }

  has(name: string, uid: string): boolean {
    return this.hooksOf(name, uid).length > 0;
  }

  /** Runs what comes before, and what may have changed the parameters. */
  async announce(model: Subject['model'], name: string, params: Values): Promise<Announced> {
    const announced = { subject: { model, params }, states: new Map<Subscriber, unknown>() };
    await this.run(`before${name}`, announced);
    return announced;
  }

  /** Runs what comes after. */
  async tell(name: string, { subject, states }: Announced, result: unknown): Promise<void> {
    await this.run(`after${name}`, { subject: { ...subject, result }, states });
  }

  private hooksOf(name: string, uid: string): readonly (readonly [Subscriber, Callable])[] {
    return this.all
      .filter(({ models }) => models === null || models.includes(uid))
      .flatMap((subscriber) => {
        const hook = subscriber.hook(name);
        return hook ? [[subscriber, hook] as const] : [];
      });
  }

  private async run(action: string, { subject, states }: Announced): Promise<void> {
    for (const [subscriber, hook] of this.hooksOf(action, subject.model.uid)) {
      const event = { action, ...subject, state: states.get(subscriber) ?? {} };
      await during(`${action} of ${subject.model.uid}`, () => hook(event));
      states.set(subscriber, event.state);
    }
  }
}
