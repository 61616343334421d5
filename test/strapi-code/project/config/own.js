module.exports = { greeting: 'hello from config' };
