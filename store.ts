/**
 * The store without the service: templates, users, clients, and what features store. Resolvers and commands use the
 * same functions. Each takes the database first. Those that write check their arguments.
 */
import './runtime/package/node-version.ts'

import type { ClientRights, NewClient } from './accounts/client-input.ts'
import * as clientAccounts from './accounts/clients.ts'
import type { NewUser, Profile } from './accounts/user-input.ts'
import * as userAccounts from './accounts/users.ts'
import { noActor } from './db/audit/record.ts'
import type { Db } from './db/schema.ts'
import { importTemplates } from './db/templates/import/import.ts'
import type { ImportOptions, ImportRecords } from './db/templates/import/report.ts'
import { findWholeTemplate } from './db/templates/product-templates.ts'
import { listWholeTemplates } from './db/templates/read/list.ts'
import { completeRevisions, findTemplateByHash } from './db/templates/revisions/hashes.ts'
import { findTemplateAt, listRevisions } from './db/templates/revisions/revisions.ts'
import {
  findMessageProblem,
  fullRights,
  type Author as RequiredAuthor
} from './db/templates/writing/rights.ts'
import * as writing from './db/templates/writing/write.ts'
import type { TemplateValues } from './domain/columns.ts'
import { parseHash } from './domain/document.ts'
import type { PasswordCost } from './options/service.ts'
import { ArgumentError } from './runtime/host-errors.ts'

export type { NewClient } from './accounts/client-input.ts'
export type { Client } from './accounts/clients.ts'
export type { NewUser } from './accounts/user-input.ts'
export type { User } from './accounts/users.ts'
export type { AuditActor } from './db/audit/record.ts'
export { NotReady } from './db/dialects/faults.ts'
export type { Db } from './db/schema.ts'
export { ImportConflict } from './db/templates/import/import.ts'
export type { TemplateWithRevision } from './db/templates/product-templates.ts'
export type { ListOptions } from './db/templates/read/list.ts'
export type { Revision } from './db/templates/revisions/revisions.ts'
export type { WriteProblem, WriteResult as Written } from './db/templates/writing/decisions.ts'
export { NotAllowed } from './db/templates/writing/rights.ts'
export type { ProductTemplate, TemplateValues } from './domain/columns.ts'
export { openDatabase } from './features/database.ts'
export * from './features/store.ts'
export { ArgumentError, StartError, StoreError } from './runtime/host-errors.ts'

type Optional = 'name' | 'mayPublish' | 'rule'

/** Who writes. Without rights, the author may write everything. */
export interface Author extends Omit<RequiredAuthor, Optional>, Partial<Pick<RequiredAuthor, Optional>> {}

/** The options of a function that writes. Without an author, it may write everything. */
type ByHost<Options extends { author: RequiredAuthor }> = Omit<Options, 'author'> & { author?: Author }

export type WriteOptions = ByHost<writing.WriteOptions>

/** Adds the author. Throws ArgumentError for a wrong message. */
function byHost<Options extends { author?: Author }>(options: Options) {
  const author = { ...fullRights, ...options.author, name: options.author?.name ?? null }
  const problem = findMessageProblem(author.message ?? '')
  if (problem) throw new ArgumentError(problem)
  return { ...options, author }
}

/**
 * Product templates. A write resolves to `{ product, problems, warnings }`; if there are problems, nothing was written.
 * It rejects with ArgumentError if the message of the author has more than 1000 characters or cannot be stored.
 */
export const templates = {
  /** Lists the templates that match. Rejects with an ArgumentError if an option is invalid. */
  list: listWholeTemplates,
  /** Finds a template by its id, with the number of its revision; undefined if there is none. */
  find: findWholeTemplate,
  /** Finds a revision of a template; undefined if there is no such revision, or if it is a deletion. */
  findRevision: findTemplateAt,
  /**
   * Finds the latest revision whose `data` has this SHA-256, `sha256:<hex>`, or its first 8 or more digits. Rejects
   * with ArgumentError for any other text.
   */
  findByHash: async (db: Db, hash: string) => {
    const hex = parseHash(hash)
    if (!hex) throw new ArgumentError('hash must have 8 to 64 hexadecimal digits')
    await completeRevisions(db)
    return findTemplateByHash(db, hex)
  },
  /** Lists at most `first` revisions of a template, newest first, optionally only revisions before a number. */
  revisions: async (db: Db, id: number, first: number, before?: number) => {
    await completeRevisions(db)
    return listRevisions(db, id, first, before)
  },
  /** Creates a template. */
  create: async (
    db: Db,
    values: TemplateValues & { id?: number | undefined },
    options: WriteOptions & Pick<Parameters<typeof writing.createTemplate>[2], 'once'> = {}
  ) => writing.createTemplate(db, values, byHost(options)),
  /** Changes some values of a template. */
  update: async (db: Db, id: number, values: Partial<TemplateValues>, options: WriteOptions = {}) =>
    writing.updateTemplate(db, id, values, byHost(options)),
  /** Deletes a template. Its revisions stay. */
  delete: async (db: Db, id: number, options: Omit<WriteOptions, 'validation'> = {}) =>
    writing.deleteTemplate(db, id, byHost(options)),
  /** Gives a template the contents of one of its revisions. */
  restore: async (db: Db, id: number, revision: number, options: Omit<WriteOptions, 'validation'> = {}) =>
    writing.restoreTemplate(db, id, revision, byHost(options)),
  /** Imports records from an iterable, all or none, in bounded memory. */
  import: async <Place>(
    db: Db,
    records: ImportRecords<Place> | ((db: Db) => ImportRecords<Place>),
    options: ByHost<ImportOptions<Place>> = {}
  ) => importTemplates(db, records, byHost(options))
}

/** Users. The functions reject with ArgumentError, and with StoreError, such as for an unknown or existing user. */
export const users = {
  /** Adds a user with a password. */
  add: (db: Db, user: NewUser, cost?: PasswordCost, actor = noActor) =>
    userAccounts.addUser(db, user, cost, actor),
  /** Finds a user by e-mail address. */
  find: userAccounts.findUser,
  /** Lists all users by e-mail address. */
  list: userAccounts.listUsers,
  /** Changes a password, revokes all tokens of the user and unlocks the account. */
  setPassword: (db: Db, email: string, password: string, cost?: PasswordCost, actor = noActor) =>
    userAccounts.setPassword(db, email, password, cost, actor),
  /** Changes fields of the profile and resolves to the user. */
  update: (db: Db, email: string, profile: Profile, actor = noActor) =>
    userAccounts.updateUser(db, email, profile, actor),
  /** Deletes a user and ends all tokens. */
  delete: (db: Db, email: string, actor = noActor) => userAccounts.deleteUser(db, email, actor),
  /** Disables a user and revokes all tokens. */
  disable: (db: Db, email: string, actor = noActor) => userAccounts.disableUser(db, email, actor),
  /** Enables a disabled user. */
  enable: (db: Db, email: string, actor = noActor) => userAccounts.enableUser(db, email, actor)
}

/** OAuth 2.0 clients. The functions reject like those of `users`. */
export const clients = {
  /** Adds a client, and resolves to it and its secret. The database has only a hash of the secret. */
  add: (db: Db, client: NewClient, actor = noActor) => clientAccounts.addClient(db, client, actor),
  /** Finds a client by its id. */
  find: clientAccounts.findClient,
  /** Lists all clients by id. */
  list: clientAccounts.listClients,
  /** Replaces the secret of a client and resolves to the new one. The old one stays valid for `overlap` seconds. */
  rotateSecret: (db: Db, id: string, options?: { overlap?: number }, actor = noActor) =>
    clientAccounts.rotateSecret(db, id, options, actor),
  /** Changes the rights and resolves to the client. Existing tokens keep their scopes. */
  update: (db: Db, id: string, rights: ClientRights, actor = noActor) =>
    clientAccounts.updateClient(db, id, rights, actor),
  /** Deletes a client and ends all tokens. */
  delete: (db: Db, id: string, actor = noActor) => clientAccounts.deleteClient(db, id, actor),
  /** Disables a client. Its tokens are refused until it is enabled. */
  disable: (db: Db, id: string, actor = noActor) => clientAccounts.disableClient(db, id, actor),
  /** Enables a disabled client. */
  enable: (db: Db, id: string, actor = noActor) => clientAccounts.enableClient(db, id, actor)
}
