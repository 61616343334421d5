/**
 * Hides what code has added to the prototypes of objects and lists from `for … in`, by which packages go through
 * objects: to these, it would be a member of each.
 */
export function hideAddedMembers(): void {
  for (const prototype of [Object.prototype, Array.prototype])
    for (const name of Object.keys(prototype)) Reflect.defineProperty(prototype, name, { enumerable: false });
}
