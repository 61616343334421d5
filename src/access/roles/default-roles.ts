/** The two roles that every project has, with their initial actions. Content must be granted explicitly. */
const actions = (...names: string[]): string[] => names.map((name) => `plugin::users-permissions.${name}`);

interface RoleDefinition {
  readonly name: string;
  readonly description: string;
  readonly grants: readonly string[];
}

export const DEFAULT_ROLES: Readonly<Record<string, RoleDefinition>> = {
  authenticated: {
    name: 'Authenticated',
    description: 'Default role given to authenticated user.',
    grants: actions(
      'auth.changePassword',
      'auth.logout',
      'auth.getSessions',
      'auth.revokeSession',
      'user.me',
    ),
  },
  public: {
    name: 'Public',
    description: 'Default role given to unauthenticated user.',
    grants: actions(
      'auth.callback',
      'auth.connect',
      'auth.forgotPassword',
      'auth.resetPassword',
      'auth.register',
      'auth.emailConfirmation',
      'auth.sendEmailConfirmation',
      'auth.refresh',
    ),
  },
};
