export { openDatabase } from './db/connect.ts'
export { PublicError, StartError } from './errors.ts'
export type { ServiceOptions } from './options.ts'
export { productTemplates, productTemplates as default } from './service.ts'
