/** Without a URI an engine inside the process keeps everything under `.data/`. */
export default ({ env }) => ({
  uri: env('MONGODB_URI', null),
  maxTimeMS: 5000,
});
