import type { ComponentType } from 'preact'

/** What a feature adds to the pages for administrators: `admin` of its `admin.tsx`. */
export interface AdminAddition {
  /** A page with a tab. */
  tab?: { name: string; label: string; Page: ComponentType }
  /** Facts about a user, and the fields of `User` that they show. */
  userFacts?: { fields: string; Facts: ComponentType<{ user: object }> }
  /** Describes what it has recorded with an event, such as ` with corp`. */
  describeDetails?(event: { action: string; details: unknown }): string
}

/**
 * What all features add. Vite finds the files, so the explorer names none, and a folder that is deleted leaves nothing.
 */
export const additions = Object.values(
  import.meta.glob<AdminAddition>('../../features/*/admin.tsx', { eager: true, import: 'admin' })
)
