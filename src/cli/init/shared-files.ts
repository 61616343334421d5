/** Files of a new project that are the same in JavaScript and TypeScript, by path. */
export const sharedFiles: Readonly<Record<string, string>> = {
  'content-types/article/schema.json': `{
  "kind": "collectionType",
  "collectionName": "articles",
  "info": {
    "singularName": "article",
    "pluralName": "articles",
    "displayName": "Article"
  },
  "options": { "draftAndPublish": true },
  "attributes": {
    "title": { "type": "string", "required": true },
    "slug": { "type": "uid", "targetField": "title" },
    "summary": { "type": "text" },
    "cover": { "type": "media", "multiple": false, "allowedTypes": ["images"] },
    "body": { "type": "blocks" }
  }
}
`,
  'seeds/articles.json': `[
  {
    "title": "What lives among the roots",
    "slug": "what-lives-among-the-roots",
    "summary": "A mangrove forest is a nursery: fish, crabs and birds grow up between its stilts.",
    "body": [{ "type": "paragraph", "children": [{ "type": "text", "text": "Come at low tide and look down." }] }]
  },
  {
    "title": "Salt, and how to live with it",
    "slug": "salt-and-how-to-live-with-it",
    "summary": "Some trees keep salt out at the root, others sweat it through their leaves.",
    "body": [{ "type": "paragraph", "children": [{ "type": "text", "text": "Taste a leaf: it is salty." }] }]
  }
]
`,
  'config/roles.js': `/** The permissions of each role. \`npx mangrove routes list --content\` lists the actions. */
export default {
  public: ['api::article.article.find', 'api::article.article.findOne', 'api::article.article.latest'],
};
`,
  'config/server.js': `export default ({ env }) => ({
  host: env('HOST', '0.0.0.0'),
  port: env.int('PORT', 1337),
});
`,
  'config/database.js': `/** Without MONGODB_URI, an embedded engine keeps all data in .data/. */
export default ({ env }) => ({
  uri: env('MONGODB_URI', null),
});
`,
  '.env.example': `# Copy this file to .env and fill it in. Environment variables take precedence over it.

# Without it, an embedded engine keeps all data in .data/.
# MONGODB_URI=mongodb://localhost:27017/my-content?replicaSet=rs0

# If absent, generated once and kept in .data/secrets.json. Set both when several servers share a database:
# node -e "console.log(require('node:crypto').randomBytes(32).toString('base64'))"
# JWT_SECRET=
# API_TOKEN_SALT=

# HOST=0.0.0.0
# PORT=1337
# LOG_LEVEL=info
`,
  Dockerfile: `FROM node:22-slim
WORKDIR /app
COPY package*.json ./
BUILD_INSTALL
COPY . .
BUILD_STEP
ENV NODE_ENV=production
# Uploads and, without MONGODB_URI, the data are on disk: mount volumes here.
RUN mkdir -p .data public/uploads && chown -R node:node .data public
USER node
EXPOSE 1337
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:1337/_health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node_modules/.bin/mangrove", "serve"]
`,
  '.dockerignore': `node_modules
dist
.data
.env
public/uploads
.git
`,
  'compose.yaml': `# The project with a three-member replica set: docker compose up --build
name: PROJECT_NAME

x-mongo: &mongo
  image: mongo:7
  command: [mongod, --replSet, rs0, --bind_ip_all]
  healthcheck:
    test: [CMD, mongosh, --quiet, --eval, db.adminCommand('ping').ok]
    interval: 5s
    retries: 20

services:
  mongo1:
    <<: *mongo
    volumes: [mongo1:/data/db]
  mongo2:
    <<: *mongo
    volumes: [mongo2:/data/db]
  mongo3:
    <<: *mongo
    volumes: [mongo3:/data/db]

  # Initiates the replica set on the first start and does nothing on later ones.
  replica-set:
    image: mongo:7
    depends_on:
      mongo1: { condition: service_healthy }
      mongo2: { condition: service_healthy }
      mongo3: { condition: service_healthy }
    restart: on-failure
    entrypoint: [mongosh, --quiet, --host, mongo1, --eval]
    command:
      - |
        try { rs.status() } catch {
          rs.initiate({ _id: 'rs0', members: [1, 2, 3].map((n) => ({ _id: n, host: 'mongo' + n + ':27017' })) });
        }
        while (!db.hello().isWritablePrimary && !db.hello().primary) sleep(500);

  app:
    build: .
    depends_on:
      replica-set: { condition: service_completed_successfully }
    environment:
      MONGODB_URI: mongodb://mongo1,mongo2,mongo3/PROJECT_NAME?replicaSet=rs0
      JWT_SECRET: \${JWT_SECRET:?set it in .env, see .env.example}
      API_TOKEN_SALT: \${API_TOKEN_SALT:?set it in .env, see .env.example}
    ports: ['1337:1337']
    volumes: [uploads:/app/public/uploads]

volumes: { mongo1: {}, mongo2: {}, mongo3: {}, uploads: {} }
`,
  'README.md': `# PROJECT_NAME

Content served by [Mangrove](https://www.npmjs.com/package/mangrove): Strapi 5's Content API from MongoDB.

\`\`\`sh
npm install
npm start            # serves http://localhost:1337/api/articles
npm run dev          # the same for development: reloads whenever you change something
npm test
\`\`\`

The first start fills the empty database from \`seeds/\` and prints an API token.

| to | run or edit |
|---|---|
| add a content type | write \`content-types/<name>/schema.json\`, then \`npx mangrove check\` |
| open it to the public | add its actions to \`config/roles.js\` |
| create a token for a client | \`npx mangrove token create website\` |
| load content | \`npx mangrove seed seeds/articles.json\`: JSON, NDJSON or CSV, repeatable |
| add a route, a policy, a hook, a job | \`src/index\` |
| change an attribute that has content | \`npx mangrove migrate create\` |
| list the routes | \`npx mangrove routes list --content\` |
| see how a request is executed | \`npx mangrove explain '/api/articles?sort=title'\` |
| use MongoDB | set \`MONGODB_URI\` in \`.env\` |
| run it with a three-member replica set | \`docker compose up --build\` |
`,
};
