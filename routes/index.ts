import type { FastifyPluginCallback } from 'fastify'
import { type Endpoint, grantTypes } from '../db/accounts/rights.ts'
import type { ServiceSettings } from '../options.ts'
import { changesGet } from './changes/index.ts'
import { page as explorerPage, file, ide } from './explorer/page.ts'
import { graphqlGet, graphqlPost, graphqlProtocol } from './graphql/index.ts'
import { livez, readyz, startupz } from './health.ts'
import { mcpPost } from './mcp/index.ts'
import { mediaOfHash, mediaOfLink, mediaProtocol, mediaUpload } from './media/index.ts'
import { metadata } from './metadata/index.ts'
import { metrics } from './metrics.ts'
import { accountGet, accountPost } from './oauth/account/index.ts'
import { passkeyChallenge } from './oauth/account/passkeys.ts'
import { passwordGet, passwordPost } from './oauth/account/password.ts'
import { authorize } from './oauth/authorize/index.ts'
import { introspect } from './oauth/introspect.ts'
import { logoutGet, logoutPost } from './oauth/logout.ts'
import { showPassword } from './oauth/pages/pages.ts'
import { passkeyScript } from './oauth/pages/passkeys.ts'
import { oauthProtocol, pageProtocol } from './oauth/protocol.ts'
import { loginCallback } from './oauth/provider-login.ts'
import { revoke } from './oauth/revoke.ts'
import { token } from './oauth/token.ts'
import { userinfo } from './oauth/userinfo.ts'
import { pendingResponses } from './responses/pending-responses.ts'
import type { Route } from './route.ts'
import { templateSchema } from './schemas/template.ts'
import { authorizationServer, jwks, protectedResource } from './well-known.ts'

/** Rules that endpoints share. */
interface Rules {
  auth: 'Basic' | 'Bearer' | 'login page' | 'none'
  /** Registers the body parsers and the error format. */
  protocol?: FastifyPluginCallback<ServiceSettings>
  /** The option that adds these endpoints. */
  onlyWith?: 'explorer' | 'mcp' | 'metrics' | 'passkeys'
  /** The endpoint that tokens must be for; by default `/graphql`. */
  tokensFor?: Endpoint
  /** The web pages that may read the responses: pages of any origin, or of CORS_ORIGINS. */
  crossOrigin?: 'any' | 'listed'
}

const open: Rules = { auth: 'none' }
const explorer: Rules = { auth: 'login page', protocol: pendingResponses, onlyWith: 'explorer' }
const loginPage: Rules = { auth: 'login page', protocol: pageProtocol }
const basic: Rules = { auth: 'Basic', protocol: oauthProtocol }
const basicListed: Rules = { ...basic, crossOrigin: 'listed' }
const bearerListed: Rules = { auth: 'Bearer', protocol: oauthProtocol, crossOrigin: 'listed' }
const wellKnown: Rules = { auth: 'none', crossOrigin: 'listed' }
const graphql: Rules = { auth: 'Bearer', protocol: graphqlProtocol, crossOrigin: 'listed' }
const anyPage: Rules = { auth: 'none', protocol: pendingResponses, crossOrigin: 'any' }
const changes: Rules = { auth: 'Bearer', crossOrigin: 'listed' }
const media: Rules = { auth: 'Bearer', protocol: mediaProtocol, crossOrigin: 'listed' }
const scrape: Rules = { auth: 'none', protocol: pendingResponses, onlyWith: 'metrics' }

/** A path: its rules and, for each method, the route and what it does. */
interface Path {
  rules: Rules
  GET?: [route: Route, what: string]
  POST?: [route: Route, what: string]
}

const table: Record<`/${string}`, Path> = {
  '/': {
    rules: explorer,
    GET: [explorerPage, 'the explorer, a web page for people; an option of the plugin']
  },
  '/explorer/graphql': { rules: explorer, GET: [ide, 'GraphiQL, a part of it'] },
  '/explorer/:name': { rules: { ...explorer, auth: 'none' }, GET: [file, 'its files, immutable'] },
  '/oauth/authorize': {
    rules: loginPage,
    GET: [authorize, 'log a user in and send a code to the client (RFC 6749 §4.1, PKCE required)'],
    POST: [authorize, 'the same with the parameters in a form']
  },
  '/oauth/login/callback/:provider': {
    rules: loginPage,
    GET: [loginCallback, 'where an OpenID provider sends the browser back to']
  },
  '/oauth/account': {
    rules: loginPage,
    GET: [accountGet, 'the account of the user: password, applications, logins'],
    POST: [accountPost, 'change it']
  },
  '/oauth/password': {
    rules: loginPage,
    GET: [passwordGet, 'set a password by a link of `user add --link`'],
    POST: [passwordPost, 'the same']
  },
  '/oauth/logout': {
    rules: loginPage,
    GET: [logoutGet, 'ask whether to log out of the login page'],
    POST: [logoutPost, 'log out']
  },
  '/oauth/passkey': {
    rules: { ...loginPage, onlyWith: 'passkeys' },
    POST: [passkeyChallenge, 'a challenge for a passkey: to log in, or to add one']
  },
  '/oauth/show-password.js': { rules: open, GET: [showPassword.route, 'the script of the login page'] },
  '/oauth/passkeys.js': {
    rules: { ...open, onlyWith: 'passkeys' },
    GET: [passkeyScript.route, 'the script for passkeys']
  },
  '/oauth/token': {
    rules: basicListed,
    POST: [token, `issue an access token (RFC 6749; grants ${grantTypes.join(', ')})`]
  },
  '/oauth/revoke': { rules: basicListed, POST: [revoke, 'revoke a token of the client (RFC 7009)'] },
  '/oauth/userinfo': {
    rules: bearerListed,
    GET: [userinfo, 'who a user is; requires the scope `openid` (OpenID Connect)'],
    POST: [userinfo, 'the same']
  },
  '/oauth/introspect': { rules: basic, POST: [introspect, 'introspect a token (RFC 7662)'] },
  '/.well-known/jwks.json': {
    rules: wellKnown,
    GET: [jwks, 'public keys that verify the tokens (RFC 7517)']
  },
  '/.well-known/oauth-authorization-server': {
    rules: wellKnown,
    GET: [authorizationServer, 'authorization server metadata (RFC 8414)']
  },
  '/.well-known/openid-configuration': {
    rules: wellKnown,
    GET: [authorizationServer, 'the same for OpenID Connect (Discovery 1.0)']
  },
  '/.well-known/oauth-protected-resource': {
    rules: wellKnown,
    GET: [protectedResource(''), 'which tokens the service takes, and whose (RFC 9728)']
  },
  '/.well-known/oauth-protected-resource/mcp': {
    rules: { ...wellKnown, onlyWith: 'mcp' },
    GET: [protectedResource('/mcp'), 'the same for `/mcp`']
  },
  '/graphql': {
    rules: graphql,
    POST: [graphqlPost, 'query the product templates; requires the scope `read`'],
    GET: [graphqlGet, 'the same for queries in the URL, with an `ETag`']
  },
  '/mcp': {
    rules: { ...graphql, onlyWith: 'mcp', tokensFor: '/mcp' },
    POST: [mcpPost, 'the Model Context Protocol, for tools of language models; an option of the plugin']
  },
  '/metadata/:id.json': {
    rules: anyPage,
    GET: [metadata, 'metadata of a public template for wallets and marketplaces (EIP-721, EIP-1155)']
  },
  '/schemas/template.json': {
    rules: anyPage,
    GET: [templateSchema, 'JSON Schema of the document of a template']
  },
  '/changes': {
    rules: changes,
    GET: [
      changesGet,
      'every committed change of the templates, as Server-Sent Events; requires the scope `read`'
    ]
  },
  '/media': {
    rules: media,
    GET: [mediaOfLink, 'the small picture behind `link`; requires the scope `read`'],
    POST: [mediaUpload, 'store a picture; requires the scope `write`']
  },
  '/media/:hash': {
    rules: media,
    GET: [mediaOfHash, 'a picture by the SHA-256 of its bytes; requires the scope `read`']
  },
  '/metrics': { rules: scrape, GET: [metrics, 'metrics for Prometheus; an option of the plugin'] },
  '/livez': { rules: open, GET: [livez, 'liveness: the process responds'] },
  '/startupz': { rules: open, GET: [startupz, 'the start has finished'] },
  '/readyz': {
    rules: open,
    GET: [readyz, 'readiness: the database responds and takes writes, the service is not shutting down']
  }
}

/** Every endpoint of the service. */
export const endpoints = Object.entries(table).map(([path, { rules, ...methods }]) => ({
  ...rules,
  path,
  methods
}))
