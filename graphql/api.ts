/** The schema with what resolves its fields. */
export interface Api {
  schema: string
  resolvers: Record<string, object>
}

/** Documents that requests name by an identifier. */
export interface NamedDocuments {
  byId: ReadonlyMap<string, string>
  /** Whether all other documents are refused. */
  isOnly: boolean
}

/** Parses and validates a document, as if it were sent. */
export type CheckDocument = (text: string) => Promise<unknown>
