import { grantTypes } from '../domain/rights.ts'
import { join } from '../runtime/join.ts'
import { changesGet } from './changes/index.ts'
import { page as explorerPage, file, ide } from './explorer/page.ts'
import { graphqlGet, graphqlPost, graphqlProtocol } from './graphql/index.ts'
import { livez, readyz, startupz } from './health.ts'
import { metrics } from './metrics.ts'
import { accountGet, accountPost } from './oauth/account/index.ts'
import { passwordGet, passwordPost } from './oauth/account/password.ts'
import { authorize } from './oauth/authorize/index.ts'
import { introspect } from './oauth/introspect.ts'
import { logoutGet, logoutPost } from './oauth/logout.ts'
import { showPassword } from './oauth/pages/pages.ts'
import { oauthProtocol, pageProtocol } from './oauth/protocol.ts'
import { revoke } from './oauth/revoke.ts'
import { token } from './oauth/token.ts'
import { userinfo } from './oauth/userinfo.ts'
import { responseMemory } from './responses/response-memory.ts'
import type { EndpointKind, PathItem } from './route.ts'
import { templateSchema } from './schemas/template.ts'
import type { ServerAddition } from './server-addition.ts'
import { authorizationServer, jwks, protectedResource } from './well-known.ts'

const open: EndpointKind = { auth: 'none' }
const explorer: EndpointKind = { auth: 'none', plugin: responseMemory, onlyWith: 'explorer' }
const loginPage: EndpointKind = { auth: 'login page', plugin: pageProtocol }
const basic: EndpointKind = { auth: 'Basic', plugin: oauthProtocol }
/** A public client sends only its `client_id`, in the body. */
const basicOrPublic: EndpointKind = { ...basic, auth: 'Basic or `client_id`', crossOrigin: 'listed' }
const wellKnown: EndpointKind = { auth: 'none', crossOrigin: 'listed' }

const endpoints: Record<`/${string}`, PathItem> = {
  '/': {
    kind: explorer,
    GET: { route: explorerPage, summary: 'the explorer, a web page for people; with the option `explorer`' }
  },
  '/explorer/graphql': { kind: explorer, GET: { route: ide, summary: 'GraphiQL, a part of the explorer' } },
  '/explorer/:name': {
    kind: explorer,
    GET: { route: file, summary: 'files of the explorer, immutable' }
  },
  '/oauth/authorize': {
    kind: loginPage,
    GET: {
      route: authorize,
      summary: 'log a user in and send a code to the client (RFC 6749 §4.1, PKCE required)'
    },
    POST: { route: authorize, summary: 'the same with the parameters in a form' }
  },
  '/oauth/account': {
    kind: loginPage,
    GET: { route: accountGet, summary: 'the account of the user: password, applications, logins' },
    POST: { route: accountPost, summary: 'change the account' }
  },
  '/oauth/password': {
    kind: loginPage,
    GET: { route: passwordGet, summary: 'set a password by a link of `user add --link`' },
    POST: { route: passwordPost, summary: 'the same' }
  },
  '/oauth/logout': {
    kind: loginPage,
    GET: { route: logoutGet, summary: 'ask whether to log out of the login page' },
    POST: { route: logoutPost, summary: 'log out' }
  },
  '/oauth/show-password.js': {
    kind: open,
    GET: { route: showPassword.route, summary: 'the script of the login page' }
  },
  '/oauth/token': {
    kind: basicOrPublic,
    POST: { route: token, summary: `issue an access token (RFC 6749; grants ${grantTypes.join(', ')})` }
  },
  '/oauth/revoke': {
    kind: basicOrPublic,
    POST: { route: revoke, summary: 'revoke a token of the client (RFC 7009)' }
  },
  '/oauth/userinfo': {
    // A client asks with the token of the login, whatever resource that is for, OpenID Connect Core 1.0 §5.3.
    kind: { auth: 'Bearer', plugin: oauthProtocol, crossOrigin: 'listed', acceptsTokensFor: 'any' },
    GET: {
      route: userinfo,
      scopes: ['openid'],
      summary: 'claims about the user; requires the scope `openid` (OpenID Connect)'
    },
    POST: { route: userinfo, scopes: ['openid'], summary: 'the same' }
  },
  '/oauth/introspect': { kind: basic, POST: { route: introspect, summary: 'introspect a token (RFC 7662)' } },
  '/.well-known/jwks.json': {
    kind: wellKnown,
    GET: { route: jwks, summary: 'public keys that verify the tokens (RFC 7517)' }
  },
  '/.well-known/oauth-authorization-server': {
    kind: wellKnown,
    GET: { route: authorizationServer, summary: 'authorization server metadata (RFC 8414)' }
  },
  '/.well-known/openid-configuration': {
    kind: wellKnown,
    GET: { route: authorizationServer, summary: 'the same for OpenID Connect (Discovery 1.0)' }
  },
  '/.well-known/oauth-protected-resource': {
    kind: wellKnown,
    GET: { route: protectedResource(''), summary: 'protected resource metadata (RFC 9728)' }
  },
  '/graphql': {
    kind: { auth: 'Bearer', plugin: graphqlProtocol, crossOrigin: 'listed', checksTokenAgain: true },
    POST: {
      route: graphqlPost,
      // Which scope an operation needs is known only after the body.
      scopes: ['read', 'write', 'admin'],
      summary:
        'GraphQL; queries and subscriptions require the scope `read`, mutations `write`, of administrators `admin`'
    },
    GET: { route: graphqlGet, scopes: ['read'], summary: 'the same for queries in the URL, with an `ETag`' }
  },
  '/schemas/template.json': {
    kind: { auth: 'none', plugin: responseMemory, crossOrigin: 'any' },
    GET: { route: templateSchema, summary: 'JSON Schema of the document of a template' }
  },
  '/changes': {
    kind: { auth: 'Bearer', crossOrigin: 'listed' },
    GET: {
      route: changesGet,
      scopes: ['read'],
      summary: 'every committed change of the templates, as Server-Sent Events; requires the scope `read`'
    }
  },
  '/metrics': {
    kind: { auth: 'none', plugin: responseMemory, onlyWith: 'metrics' },
    GET: { route: metrics, summary: 'metrics for Prometheus; with the option `metrics`' }
  },
  '/livez': { kind: open, GET: { route: livez, summary: 'liveness: the process responds' } },
  '/startupz': { kind: open, GET: { route: startupz, summary: 'the start has finished' } },
  '/readyz': {
    kind: open,
    GET: {
      route: readyz,
      summary: 'readiness: the database responds and takes writes, the service is not shutting down'
    }
  }
}

/** Lists the endpoints of the core and of these features. Throws if two have the same path. */
export function listEndpoints(features: ServerAddition[]) {
  const all = join('endpoints', endpoints, ...features.map(feature => feature.endpoints))
  return Object.entries<PathItem>(all).map(([path, { kind, ...methods }]) => ({ ...kind, path, methods }))
}
