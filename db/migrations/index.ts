/** Every migration by its name. They run in the order of the names, so a new name must sort after all others. */
export * as '0001-initial' from './0001-initial.ts'
