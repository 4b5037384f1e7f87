export default {
  name: 'Lookup API conformance',
  plugins: {
    awesome: { options: { singleFile: true, reportLanguage: 'en', groupBy: ['epic', 'feature', 'story'] } },
  },
};
