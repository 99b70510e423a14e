export type * from './schema.ts'
