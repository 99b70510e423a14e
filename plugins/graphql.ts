import fp from 'fastify-plugin'
import { readDocuments, type TrustedDocuments } from '../graphql/documents.ts'
import { addMercurius, validate } from '../graphql/mercurius.ts'
import type { ServiceSettings } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The trusted documents; undefined without such. */
    productDocuments: TrustedDocuments | undefined
  }
}

/** Adds Mercurius, and the trusted documents. */
export const graphql = fp<ServiceSettings>(
  async (app, settings) => {
    await addMercurius(app, settings)
    const check = (query: string) => validate(app.graphql, query)
    app.decorate('productDocuments', await readDocuments(settings, check))
  },
  { name: 'product-graphql', fastify: '5.x' }
)
