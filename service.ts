import type { FastifyPluginAsync } from 'fastify'
import { migrations } from './features/database.ts'
import { auditActionsOfFeatures, loadParts, metricDefinitions, tables } from './features/load.ts'
import { loadApi } from './graphql/api.ts'
import { parseServiceOptions, type ServiceOptions } from './options/index.ts'
import { bearerAuth } from './plugins/authentication/bearer-auth.ts'
import { clientAuth } from './plugins/authentication/client-auth.ts'
import { tokens } from './plugins/authentication/tokens.ts'
import { changeFeed } from './plugins/change-feed.ts'
import { errorHandler, formatHttpError } from './plugins/error-handler.ts'
import { headers } from './plugins/headers.ts'
import { maintenance } from './plugins/maintenance.ts'
import { metricsPlugin, storeMetrics } from './plugins/metrics.ts'
import { store } from './plugins/store.ts'
import { workerThreads } from './plugins/worker-threads.ts'
import { Readiness } from './routes/health.ts'
import { routes } from './routes/register.ts'
import { compileValidator } from './runtime/validator.ts'

/**
 * The service as an encapsulated Fastify plugin. Its decorators and hooks stay in its scope, and it closes everything
 * that it opens. Throws StartError for invalid options or an unusable database.
 */
export const productTemplates: FastifyPluginAsync<ServiceOptions> = async (app, given) => {
  const { db, authenticate, explorer, metrics, metricsRegistry, tracer, ...settings } =
    parseServiceOptions(given)

  await app.register(metricsPlugin, { metrics: metricsRegistry })
  app.productMetrics.define(metricDefinitions)
  app.setValidatorCompiler(compileValidator)
  // A host may have another serializer for its own responses.
  app.setReplySerializer(payload => JSON.stringify(payload))
  await app.register(errorHandler, { body: formatHttpError })
  await app.register(headers, settings)

  const { database, ...others } = settings
  await app.register(store, { ...others, ...(db ? { db } : { database }) })
  await app.register(storeMetrics)
  await app.register(workerThreads, settings)
  await app.register(tokens, settings)
  await app.register(clientAuth)
  await app.register(bearerAuth, { authenticate })
  await app.register(maintenance, { ...settings, tables })
  await app.register(changeFeed)

  const servers = await loadParts('server', settings)
  app.decorate('productServerAdditions', servers)
  for (const { plugin } of servers) if (plugin) await app.register(plugin, { ...settings, tracer })

  app.decorate('productAuditActions', auditActionsOfFeatures)
  app.decorate('productApi', await loadApi(await loadParts('schema', settings), settings))
  if (!app.hasDecorator('productReadiness')) {
    const { productStore, productDrain, log } = app
    const readiness = new Readiness({ db: productStore, migrations, draining: productDrain?.announced, log })
    app.decorate('productReadiness', readiness)
  }
  await app.register(routes, { ...settings, explorer, metrics })
}
