import { ADMIN_UID } from './uids.js';

const creator = {
  type: 'relation',
  relation: 'oneToOne',
  target: ADMIN_UID,
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
};

/** What Strapi adds to every content type (rules D.2). */
export const automaticAttributes = (uid: string, table: string, localized: boolean) => ({
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime', configurable: false, writable: true, visible: true },
  createdBy: creator,
  updatedBy: creator,
  locale: { writable: true, private: !localized, configurable: false, visible: false, type: 'string' },
  localizations: {
    type: 'relation',
    relation: 'oneToMany',
    target: uid,
    writable: false,
    private: !localized,
    configurable: false,
    visible: false,
    unstable_virtual: true,
    joinColumn: { name: 'document_id', referencedColumn: 'document_id', referencedTable: table },
  },
});
