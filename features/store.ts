/** What features add to the entry point `store`: a line each, which is deleted with the feature. */
export { type Webhook, webhooks } from './webhooks/store.ts'
