/** The built-in content types, by uid. */
export const FILE_UID = 'plugin::upload.file';
export const USER_UID = 'plugin::users-permissions.user';
export const ROLE_UID = 'plugin::users-permissions.role';
export const ADMIN_UID = 'admin::user';
